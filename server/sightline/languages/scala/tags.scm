; Declarations

(package_clause
  name: (package_identifier) @name
  body: (template_body) @body) @definition.module

(package_object
  name: (_) @name
  body: (template_body)? @body
  (#set! members "yes")) @definition.module

(object_definition
  name: (_) @name
  body: (template_body)? @body
  (#set! members "yes")) @definition.module

(class_definition
  name: (_) @name
  body: (template_body)? @body) @definition.class

(trait_definition
  name: (_) @name
  body: (template_body)? @body) @definition.trait

(enum_definition
  name: (_) @name
  body: (enum_body) @body) @definition.enum

(enum_case_definitions
  [
    (simple_enum_case
      name: (_) @name)
    (full_enum_case
      name: (_) @name)
  ] @definition.constant)

; The first parameters of a case class and of an enum case are its fields.
(class_definition
  "case"
  [
    (identifier)
    (operator_identifier)
    (type_parameters)
    (access_modifier)
    (annotation)
  ]
  .
  (class_parameters
    (class_parameter
      name: (identifier) @name
      default_value: (_)? @value) @definition.field))

(full_enum_case
  [
    (identifier)
    (operator_identifier)
    (type_parameters)
  ]
  .
  (class_parameters
    (class_parameter
      name: (identifier) @name
      default_value: (_)? @value) @definition.field))

(class_parameter
  [
    "val"
    "var"
  ]
  name: (identifier) @name
  default_value: (_)? @value) @definition.field

(given_definition
  name: (_) @name
  body: [
    (template_body)
    (with_template_body)
  ] @body
  (#set! members "yes")) @definition.module

(given_definition
  "given" @name
  !name
  body: [
    (template_body)
    (with_template_body)
  ] @body
  (#set! name "given")
  (#set! members "yes")) @definition.module

; The grammar takes the body behind `given A, B:` for a refinement of the last type.
(given_definition
  name: (_) @name
  extra: (compound_type
    (refinement) @body)
  (#set! members "yes")) @definition.module

(given_definition
  "given" @name
  !name
  extra: (compound_type
    (refinement) @body)
  (#set! name "given")
  (#set! members "yes")) @definition.module

; With arguments and without a body it is an instance, too.
(given_definition
  name: (_) @name
  return_type: (applied_constructor_type)
  !body
  (#set! members "yes")) @definition.module

(given_definition
  "given" @name
  !name
  return_type: (applied_constructor_type)
  !body
  (#set! name "given")
  (#set! members "yes")) @definition.module

(given_definition
  name: (_) @name
  body: (_)? @value) @definition.variable

(given_definition
  "given" @name
  !name
  body: (_)? @value
  (#set! name "given")) @definition.variable

((function_definition
  name: (identifier) @name
  "="
  body: (_) @body) @definition.constructor
  (#eq? @name "this"))

((function_definition
  name: (identifier) @name
  body: (block) @body) @definition.constructor
  (#eq? @name "this")
  (#set! placeholder "{}"))

(function_definition
  name: (_) @name
  "="
  body: (_) @body) @definition.function

(function_definition
  name: (_) @name
  body: (block) @body
  (#set! placeholder "{}")) @definition.function

[
  (val_definition
    pattern: [
      (identifier) @name
      (operator_identifier) @name
      (identifiers
        (identifier) @name)
    ]
    value: (_) @value)
  (var_definition
    pattern: [
      (identifier) @name
      (operator_identifier) @name
      (identifiers
        (identifier) @name)
    ]
    value: (_) @value)
] @definition.variable

; In a pattern only names in lower case are bound, but for those before an `@`.
[
  (val_definition
    pattern: [
      (capture_pattern
        name: (identifier) @name)
      (_
        (capture_pattern
          name: (identifier) @name))
      (_
        (_
          (capture_pattern
            name: (identifier) @name)))
    ]
    value: (_) @value)
  (var_definition
    pattern: [
      (capture_pattern
        name: (identifier) @name)
      (_
        (capture_pattern
          name: (identifier) @name))
      (_
        (_
          (capture_pattern
            name: (identifier) @name)))
    ]
    value: (_) @value)
] @definition.variable

[
  (val_definition
    pattern: (named_tuple_pattern
      (named_pattern
        "="
        .
        (identifier) @name))
    value: (_) @value)
  (var_definition
    pattern: (named_tuple_pattern
      (named_pattern
        "="
        .
        (identifier) @name))
    value: (_) @value)
] @definition.variable

([
  (val_definition
    pattern: [
      (capture_pattern
        name: (identifier) @name)
      (case_class_pattern
        (identifier) @name)
      (infix_pattern
        (identifier) @name)
      (tuple_pattern
        (identifier) @name)
      (typed_pattern
        (identifier) @name)
      (_
        [
          (capture_pattern
            name: (identifier) @name)
          (case_class_pattern
            (identifier) @name)
          (infix_pattern
            (identifier) @name)
          (tuple_pattern
            (identifier) @name)
          (typed_pattern
            (identifier) @name)
          (_
            [
              (capture_pattern
                name: (identifier) @name)
              (case_class_pattern
                (identifier) @name)
              (infix_pattern
                (identifier) @name)
              (tuple_pattern
                (identifier) @name)
              (typed_pattern
                (identifier) @name)
            ])
        ])
    ]
    value: (_) @value)
  (var_definition
    pattern: [
      (capture_pattern
        name: (identifier) @name)
      (case_class_pattern
        (identifier) @name)
      (infix_pattern
        (identifier) @name)
      (tuple_pattern
        (identifier) @name)
      (typed_pattern
        (identifier) @name)
      (_
        [
          (capture_pattern
            name: (identifier) @name)
          (case_class_pattern
            (identifier) @name)
          (infix_pattern
            (identifier) @name)
          (tuple_pattern
            (identifier) @name)
          (typed_pattern
            (identifier) @name)
          (_
            [
              (capture_pattern
                name: (identifier) @name)
              (case_class_pattern
                (identifier) @name)
              (infix_pattern
                (identifier) @name)
              (tuple_pattern
                (identifier) @name)
              (typed_pattern
                (identifier) @name)
            ])
        ])
    ]
    value: (_) @value)
] @definition.variable
  (#match? @name "^[^A-Z]"))

; What a refinement `{ def f: T }` declares is part of a type, and no symbol.
[
  (compilation_unit
    (function_declaration
      name: (_) @name) @definition.function)
  (enum_body
    (function_declaration
      name: (_) @name) @definition.function)
  (extension_definition
    (function_declaration
      name: (_) @name) @definition.function)
  (template_body
    (function_declaration
      name: (_) @name) @definition.function)
  (with_template_body
    (function_declaration
      name: (_) @name) @definition.function)
]

[
  (compilation_unit
    [
      (val_declaration
        name: (_) @name)
      (var_declaration
        name: (_) @name)
    ] @definition.variable)
  (enum_body
    [
      (val_declaration
        name: (_) @name)
      (var_declaration
        name: (_) @name)
    ] @definition.variable)
  (template_body
    [
      (val_declaration
        name: (_) @name)
      (var_declaration
        name: (_) @name)
    ] @definition.variable)
  (with_template_body
    [
      (val_declaration
        name: (_) @name)
      (var_declaration
        name: (_) @name)
    ] @definition.variable)
]

[
  (block
    (type_definition
      name: (type_identifier) @name) @definition.type)
  (case_clause
    (type_definition
      name: (type_identifier) @name) @definition.type)
  (compilation_unit
    (type_definition
      name: (type_identifier) @name) @definition.type)
  (enum_body
    (type_definition
      name: (type_identifier) @name) @definition.type)
  (indented_block
    (type_definition
      name: (type_identifier) @name) @definition.type)
  (template_body
    (type_definition
      name: (type_identifier) @name) @definition.type)
  (with_template_body
    (type_definition
      name: (type_identifier) @name) @definition.type)
]

; What stands around declarations

(enum_case_definitions
  [
    (simple_enum_case)
    (full_enum_case)
  ] @wrapped) @wrapper

(extension_definition
  (parameters) @_last
  .
  [
    (block_comment)
    (comment)
  ]*
  .
  [
    "{"
    (function_declaration)
    (function_definition)
  ] @body
  (#set! members "yes")) @scope

(extension_definition
  (#set! members "yes")) @scope

(instance_expression
  (template_body) @body
  (#set! members "yes")) @scope

(early_defs
  (#set! members "yes")) @scope

; After a second list of arguments the grammar takes the body of an anonymous class for a third.
(call_expression
  function: [
    (instance_expression)
    (call_expression
      function: (instance_expression))
    (call_expression
      function: (call_expression
        function: (instance_expression)))
  ]
  arguments: [
    (block) @scope
    (colon_argument
      (indented_block) @scope)
  ]
  (#set! members "yes"))

; Then `with` is an operator to it.
(call_expression
  function: [
    (infix_expression
      operator: (identifier) @_with)
    (generic_function
      function: (infix_expression
        operator: (identifier) @_with))
  ]
  arguments: [
    (block) @scope
    (colon_argument
      (indented_block) @scope)
  ]
  (#eq? @_with "with")
  (#set! members "yes"))

(infix_expression
  operator: (identifier) @_with
  right: (call_expression
    arguments: [
      (block) @scope
      (colon_argument
        (indented_block) @scope)
    ])
  (#eq? @_with "with")
  (#set! members "yes"))

[
  (block)
  (case_clause)
  (indented_block)
  (lambda_expression)
] @local

(lambda_expression
  [
    (block)
    (indented_block)
  ] @body)

; An annotation can also stand at the end of a type.
[
  (class_definition
    (annotation) @decorator)
  (class_parameter
    (annotation) @decorator)
  (enum_case_definitions
    (annotation) @decorator)
  (enum_definition
    (annotation) @decorator)
  (function_declaration
    (annotation) @decorator)
  (function_definition
    (annotation) @decorator)
  (given_definition
    (annotation) @decorator)
  (object_definition
    (annotation) @decorator)
  (trait_definition
    (annotation) @decorator)
  (type_definition
    (annotation) @decorator)
  (val_declaration
    (annotation) @decorator)
  (val_definition
    (annotation) @decorator)
  (var_declaration
    (annotation) @decorator)
  (var_definition
    (annotation) @decorator)
]

[
  (block_comment)
  (comment)
] @comment

; What the grammar misreads: a block after a blank line is not the body of the type above it,

([
  (class_definition
    body: (template_body
      .
      "{") @error)
  (object_definition
    body: (template_body
      .
      "{") @error)
  (trait_definition
    body: (template_body
      .
      "{") @error)
] @_type
  (#match? @_type "^[^{]*\\n[ \\t\\r]*\\n\\s*[{]"))

; what follows `def f =` and a block in the first column is not part of `f`,

(function_definition
  body: (indented_block
    .
    (block)
    .
    (_) @error))

; a block on the line below `val x = new A` is its body,

([
  (block
    [
      (function_definition
        body: (instance_expression) @_new)
      (val_definition
        value: (instance_expression) @_new)
      (var_definition
        value: (instance_expression) @_new)
    ]
    .
    (block) @error)
  (compilation_unit
    [
      (function_definition
        body: (instance_expression) @_new)
      (val_definition
        value: (instance_expression) @_new)
      (var_definition
        value: (instance_expression) @_new)
    ]
    .
    (block) @error)
  (indented_block
    [
      (function_definition
        body: (instance_expression) @_new)
      (val_definition
        value: (instance_expression) @_new)
      (var_definition
        value: (instance_expression) @_new)
    ]
    .
    (block) @error)
  (template_body
    [
      (function_definition
        body: (instance_expression) @_new)
      (val_definition
        value: (instance_expression) @_new)
      (var_definition
        value: (instance_expression) @_new)
    ]
    .
    (block) @error)
] @_around
  (#not-match? @_new "[}]$")
  (#match? @_around "new [^\\n{}]*\\n[ \\t]*[{]"))

; and what follows `trait A:` and `end A` is not part of `A`.

(template_body
  .
  ":"
  .
  (postfix_expression
    .
    (identifier) @_end) @error
  (#eq? @_end "end"))

; References

(infix_expression
  operator: (identifier) @_with
  right: [
    (identifier) @reference.base
    (field_expression
      value: (_) @receiver
      field: (identifier) @reference.base)
    (call_expression
      function: [
        (identifier) @reference.base
        (field_expression
          value: (_) @receiver
          field: (identifier) @reference.base)
        (generic_function
          function: (identifier) @reference.base)
      ])
  ]
  (#eq? @_with "with"))

; A method without parameters is called like a field is read.
(field_expression
  value: (_) @receiver
  field: (_) @reference.call)

(call_expression
  function: (identifier) @reference.call)

(generic_function
  function: (identifier) @reference.call)

(infix_expression
  left: (_) @receiver
  operator: (_) @reference.call
  (#not-eq? @reference.call "with"))

(postfix_expression
  .
  (_) @receiver
  .
  (identifier) @reference.call
  .)

(extends_clause
  [
    (type_identifier) @reference.base
    (stable_type_identifier
      (_) @receiver
      (type_identifier) @reference.base
      .)
    (generic_type
      type: [
        (type_identifier) @reference.base
        (stable_type_identifier
          (_) @receiver
          (type_identifier) @reference.base
          .)
      ])
  ])

(given_definition
  return_type: [
    (type_identifier) @reference.base
    (stable_type_identifier
      (_) @receiver
      (type_identifier) @reference.base
      .)
    (generic_type
      type: [
        (type_identifier) @reference.base
        (stable_type_identifier
          (_) @receiver
          (type_identifier) @reference.base
          .)
      ])
  ]
  body: [
    (template_body)
    (with_template_body)
  ])

; An anonymous class is a subclass of what it creates.
(instance_expression
  [
    (type_identifier) @reference.base
    (stable_type_identifier
      (_) @receiver
      (type_identifier) @reference.base
      .)
    (generic_type
      type: [
        (type_identifier) @reference.base
        (stable_type_identifier
          (_) @receiver
          (type_identifier) @reference.base
          .)
      ])
    (compound_type
      base: (applied_constructor_type
        [
          (type_identifier) @reference.base
          (generic_type
            type: (type_identifier) @reference.base)
        ]))
  ]
  (template_body))

(instance_expression
  [
    (type_identifier) @reference.call
    (stable_type_identifier
      (_) @receiver
      (type_identifier) @reference.call
      .)
    (generic_type
      type: [
        (type_identifier) @reference.call
        (stable_type_identifier
          (_) @receiver
          (type_identifier) @reference.call
          .)
      ])
    (compound_type
      base: (applied_constructor_type
        [
          (type_identifier) @reference.call
          (generic_type
            type: (type_identifier) @reference.call)
        ]))
  ])

(stable_type_identifier
  (_) @receiver
  (type_identifier) @reference.type
  .)

; Wherever it stands: to ask for what is around it costs more than all that is found.
(type_identifier) @reference.type

; Bindings

(function_definition
  name: (_) @binding
  return_type: [
    (compound_type)
    (generic_type)
    (lazy_parameter_type)
    (stable_type_identifier)
    (type_identifier)
  ] @binding.type)

(function_declaration
  name: (_) @binding
  return_type: [
    (compound_type)
    (generic_type)
    (lazy_parameter_type)
    (stable_type_identifier)
    (type_identifier)
  ] @binding.type)

(function_definition
  name: (_) @binding
  !return_type
  body: [
    (call_expression
      function: [
        (field_expression)
        (generic_function)
        (identifier)
      ] @binding.call)
    (instance_expression
      .
      [
        (generic_type)
        (stable_type_identifier)
        (type_identifier)
      ] @binding.type)
  ])

(parameter
  name: (identifier) @binding
  type: [
    (compound_type)
    (generic_type)
    (lazy_parameter_type)
    (stable_type_identifier)
    (type_identifier)
  ] @binding.type)

(class_parameter
  name: (identifier) @binding
  type: [
    (compound_type)
    (generic_type)
    (lazy_parameter_type)
    (stable_type_identifier)
    (type_identifier)
  ] @binding.type)

(binding
  name: (identifier) @binding
  type: [
    (compound_type)
    (generic_type)
    (lazy_parameter_type)
    (stable_type_identifier)
    (type_identifier)
  ] @binding.type)

(typed_pattern
  pattern: (identifier) @binding
  type: [
    (compound_type)
    (generic_type)
    (lazy_parameter_type)
    (stable_type_identifier)
    (type_identifier)
  ] @binding.type)

[
  (val_definition
    pattern: (identifier) @binding
    type: [
      (compound_type)
      (generic_type)
      (lazy_parameter_type)
      (stable_type_identifier)
      (type_identifier)
    ] @binding.type)
  (var_definition
    pattern: (identifier) @binding
    type: [
      (compound_type)
      (generic_type)
      (lazy_parameter_type)
      (stable_type_identifier)
      (type_identifier)
    ] @binding.type)
  (val_declaration
    name: (identifier) @binding
    type: [
      (compound_type)
      (generic_type)
      (lazy_parameter_type)
      (stable_type_identifier)
      (type_identifier)
    ] @binding.type)
  (var_declaration
    name: (identifier) @binding
    type: [
      (compound_type)
      (generic_type)
      (lazy_parameter_type)
      (stable_type_identifier)
      (type_identifier)
    ] @binding.type)
]

[
  (val_definition
    pattern: (identifier) @binding
    !type
    value: [
      (call_expression
        function: [
          (field_expression)
          (generic_function)
          (identifier)
        ] @binding.call)
      (instance_expression
        .
        [
          (generic_type)
          (stable_type_identifier)
          (type_identifier)
        ] @binding.type)
    ])
  (var_definition
    pattern: (identifier) @binding
    !type
    value: [
      (call_expression
        function: [
          (field_expression)
          (generic_function)
          (identifier)
        ] @binding.call)
      (instance_expression
        .
        [
          (generic_type)
          (stable_type_identifier)
          (type_identifier)
        ] @binding.type)
    ])
]

; What is read from another is as if it were called.
[
  (val_definition
    pattern: (identifier) @binding
    !type
    value: (field_expression) @binding.call)
  (var_definition
    pattern: (identifier) @binding
    !type
    value: (field_expression) @binding.call)
]

; Other variables hide what has their name, and nothing is known of them.

(val_definition
  pattern: (identifier) @binding
  !type
  "=" @binding.type
  value: [
    (block)
    (for_expression)
    (identifier)
    (if_expression)
    (infix_expression)
    (lambda_expression)
    (match_expression)
    (try_expression)
  ])

(val_definition
  pattern: [
    (tuple_pattern
      (identifier) @binding)
    (case_class_pattern
      (identifier) @binding)
  ]
  "=" @binding.type)

(lambda_expression
  parameters: [
    (identifier) @binding
    (bindings
      (binding
        name: (identifier) @binding
        !type))
  ]
  "=>" @binding.type)

(enumerator
  .
  [
    (identifier) @binding
    (tuple_pattern
      (identifier) @binding)
    (case_class_pattern
      (identifier) @binding)
  ]
  [
    "<-"
    "="
  ] @binding.type)

(case_clause
  pattern: [
    (identifier) @binding
    (tuple_pattern
      (identifier) @binding)
    (case_class_pattern
      (identifier) @binding)
  ]
  "=>" @binding.type)

(capture_pattern
  name: (identifier) @binding
  "@" @binding.type)

(type_definition
  name: (type_identifier) @binding
  type: [
    (generic_type)
    (stable_type_identifier)
    (type_identifier)
  ] @binding.type)

(given_definition
  name: (_) @binding
  return_type: [
    (compound_type)
    (generic_type)
    (lazy_parameter_type)
    (stable_type_identifier)
    (type_identifier)
  ] @binding.type)

(package_clause
  name: (package_identifier) @package
  !body)

; Imports

; A path is a flat list of names: from the first to the one before the last it is the module.
((import_declaration
  "import"
  .
  (identifier) @import.module
  (identifier) @import.module
  .
  [
    (namespace_wildcard) @import.name
    (as_renamed_identifier
      name: (_) @import.name
      alias: (_) @import.alias)
    (namespace_selectors
      [
        (identifier) @import.name
        (operator_identifier) @import.name
        (namespace_wildcard) @import.name
        (arrow_renamed_identifier
          name: (_) @import.name
          alias: (_) @import.alias)
        (as_renamed_identifier
          name: (_) @import.name
          alias: (_) @import.alias)
      ])
  ]) @import
  (#not-match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

((import_declaration
  "import"
  .
  (identifier) @import.module
  .
  [
    (namespace_wildcard) @import.name
    (as_renamed_identifier
      name: (_) @import.name
      alias: (_) @import.alias)
    (namespace_selectors
      [
        (identifier) @import.name
        (operator_identifier) @import.name
        (namespace_wildcard) @import.name
        (arrow_renamed_identifier
          name: (_) @import.name
          alias: (_) @import.alias)
        (as_renamed_identifier
          name: (_) @import.name
          alias: (_) @import.alias)
      ])
  ]) @import
  (#not-match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

((export_declaration
  "export"
  .
  (identifier) @import.module
  (identifier) @import.module
  .
  [
    (namespace_wildcard) @import.name
    (as_renamed_identifier
      name: (_) @import.name
      alias: (_) @import.alias)
    (namespace_selectors
      [
        (identifier) @import.name
        (operator_identifier) @import.name
        (namespace_wildcard) @import.name
        (arrow_renamed_identifier
          name: (_) @import.name
          alias: (_) @import.alias)
        (as_renamed_identifier
          name: (_) @import.name
          alias: (_) @import.alias)
      ])
  ]) @import
  (#not-match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

((export_declaration
  "export"
  .
  (identifier) @import.module
  .
  [
    (namespace_wildcard) @import.name
    (as_renamed_identifier
      name: (_) @import.name
      alias: (_) @import.alias)
    (namespace_selectors
      [
        (identifier) @import.name
        (operator_identifier) @import.name
        (namespace_wildcard) @import.name
        (arrow_renamed_identifier
          name: (_) @import.name
          alias: (_) @import.alias)
        (as_renamed_identifier
          name: (_) @import.name
          alias: (_) @import.alias)
      ])
  ]) @import
  (#not-match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

((import_declaration
  "import"
  .
  (identifier) @import.module
  (identifier) @import.module
  .
  "."
  .
  "given" @import.name) @import
  (#not-match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

((import_declaration
  "import"
  .
  (identifier) @import.module
  (identifier) @import.module
  .
  [
    (identifier)
    (operator_identifier)
  ] @import.name
  .) @import
  (#not-match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

((import_declaration
  "import"
  .
  (identifier) @import.module
  .
  [
    (identifier)
    (operator_identifier)
  ] @import.name
  .) @import
  (#not-match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

((import_declaration
  "import"
  .
  [
    (identifier) @import.name
    (as_renamed_identifier
      name: (_) @import.name
      alias: (_) @import.alias)
  ]
  .) @import
  (#not-match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

; Several imports in one statement are one flat list, too, with a comma between.
((import_declaration
  "import"
  .
  (identifier) @import.module
  .
  "."
  .
  [
    (namespace_wildcard) @import.name
    (as_renamed_identifier
      name: (_) @import.name
      alias: (_) @import.alias)
    (namespace_selectors
      [
        (identifier) @import.name
        (operator_identifier) @import.name
        (namespace_wildcard) @import.name
        (arrow_renamed_identifier
          name: (_) @import.name
          alias: (_) @import.alias)
        (as_renamed_identifier
          name: (_) @import.name
          alias: (_) @import.alias)
      ])
  ]) @import
  (#match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

((import_declaration
  "import"
  .
  (identifier) @import.module
  .
  "."
  .
  (identifier) @import.name
  .
  ",") @import
  (#match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

((import_declaration
  "import"
  .
  (identifier) @import.module
  .
  "."
  .
  (identifier) @import.module
  .
  "."
  .
  [
    (namespace_wildcard) @import.name
    (as_renamed_identifier
      name: (_) @import.name
      alias: (_) @import.alias)
    (namespace_selectors
      [
        (identifier) @import.name
        (operator_identifier) @import.name
        (namespace_wildcard) @import.name
        (arrow_renamed_identifier
          name: (_) @import.name
          alias: (_) @import.alias)
        (as_renamed_identifier
          name: (_) @import.name
          alias: (_) @import.alias)
      ])
  ]) @import
  (#match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

((import_declaration
  "import"
  .
  (identifier) @import.module
  .
  "."
  .
  (identifier) @import.module
  .
  "."
  .
  (identifier) @import.name
  .
  ",") @import
  (#match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

((import_declaration
  "," @_comma
  .
  (identifier) @import.module
  .
  "."
  .
  [
    (namespace_wildcard) @import.name
    (as_renamed_identifier
      name: (_) @import.name
      alias: (_) @import.alias)
    (namespace_selectors
      [
        (identifier) @import.name
        (operator_identifier) @import.name
        (namespace_wildcard) @import.name
        (arrow_renamed_identifier
          name: (_) @import.name
          alias: (_) @import.alias)
        (as_renamed_identifier
          name: (_) @import.name
          alias: (_) @import.alias)
      ])
  ]) @import
  (#match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

((import_declaration
  "," @_comma
  .
  (identifier) @import.module
  .
  "."
  .
  (identifier) @import.name
  .
  ",") @import
  (#match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

((import_declaration
  "," @_comma
  .
  (identifier) @import.module
  .
  "."
  .
  (identifier) @import.name
  .) @import
  (#match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

((import_declaration
  "," @_comma
  .
  (identifier) @import.module
  .
  "."
  .
  (identifier) @import.module
  .
  "."
  .
  [
    (namespace_wildcard) @import.name
    (as_renamed_identifier
      name: (_) @import.name
      alias: (_) @import.alias)
    (namespace_selectors
      [
        (identifier) @import.name
        (operator_identifier) @import.name
        (namespace_wildcard) @import.name
        (arrow_renamed_identifier
          name: (_) @import.name
          alias: (_) @import.alias)
        (as_renamed_identifier
          name: (_) @import.name
          alias: (_) @import.alias)
      ])
  ]) @import
  (#match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

((import_declaration
  "," @_comma
  .
  (identifier) @import.module
  .
  "."
  .
  (identifier) @import.module
  .
  "."
  .
  (identifier) @import.name
  .
  ",") @import
  (#match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

((import_declaration
  "," @_comma
  .
  (identifier) @import.module
  .
  "."
  .
  (identifier) @import.module
  .
  "."
  .
  (identifier) @import.name
  .) @import
  (#match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))
