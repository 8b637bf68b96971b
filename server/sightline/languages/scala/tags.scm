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
(define.fields
  (class_parameters
    (class_parameter
      name: (identifier) @name
      default_value: (_)? @value) @definition.field))

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
  (use.fields))

(full_enum_case
  [
    (identifier)
    (operator_identifier)
    (type_parameters)
  ]
  .
  (use.fields))

(class_parameter
  [
    "val"
    "var"
  ]
  name: (identifier) @name
  default_value: (_)? @value) @definition.field

(define.template
  [
    (template_body)
    (with_template_body)
  ])

(define.given_instance
  (given_definition
    name: (_) @name
    (argument.1)
    (#set! members "yes")) @definition.module

  (given_definition
    "given" @name
    !name
    (argument.1)
    (#set! name "given")
    (#set! members "yes")) @definition.module)

(use.given_instance body: (use.template) @body)

; The grammar takes the body behind `given A, B:` for a refinement of the last type.
(use.given_instance
  extra: (compound_type
    (refinement) @body))

; With arguments and without a body it is an instance, too.
(define.arguments_alone
  return_type: (applied_constructor_type)
  !body)

(use.given_instance (use.arguments_alone))

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

(define.val_or_var
  [
    (val_definition
      (argument.1)
      (argument.2))
    (var_definition
      (argument.1)
      (argument.2))
  ])

(define.variable
  (use.val_or_var
    pattern: (argument.1)
    value: (_) @value) @definition.variable)

(use.variable
  [
    (identifier) @name
    (operator_identifier) @name
    (identifiers
      (identifier) @name)
  ])

; In a pattern only names in lower case are bound, but for those before an `@`. A predicate tells, so
; names are looked for three levels deep and no further.
(define.within_pattern
  [
    (argument.1)
    (_
      [
        (argument.1)
        (_
          (argument.1))
      ])
  ])

(define.captured_name
  (capture_pattern
    name: (identifier) @name))

(define.name_in_pattern
  [
    (use.captured_name)
    (case_class_pattern
      (identifier) @name)
    (infix_pattern
      (identifier) @name)
    (tuple_pattern
      (identifier) @name)
    (typed_pattern
      (identifier) @name)
  ])

(use.variable (use.within_pattern (use.captured_name)))

(use.variable
  (named_tuple_pattern
    (named_pattern
      "="
      .
      (identifier) @name)))

((use.variable (use.within_pattern (use.name_in_pattern)))
  (#match? @name "^[^A-Z]"))

; What a refinement `{ def f: T }` declares is part of a type, and no symbol.
(define.in_body
  [
    (compilation_unit
      (argument.1))
    (enum_body
      (argument.1))
    (template_body
      (argument.1))
    (with_template_body
      (argument.1))
  ])

(define.declared_function
  (function_declaration
    name: (_) @name) @definition.function)

[
  (use.in_body (use.declared_function))
  (extension_definition
    (use.declared_function))
]

(use.in_body
  [
    (val_declaration
      name: (_) @name)
    (var_declaration
      name: (_) @name)
  ] @definition.variable)

(define.declared_type
  (type_definition
    name: (type_identifier) @name) @definition.type)

[
  (use.in_body (use.declared_type))
  (block
    (use.declared_type))
  (case_clause
    (use.declared_type))
  (indented_block
    (use.declared_type))
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

(define.class_body
  arguments: [
    (block) @scope
    (colon_argument
      (indented_block) @scope)
  ])

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
  (use.class_body)
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
  (use.class_body)
  (#eq? @_with "with")
  (#set! members "yes"))

(infix_expression
  operator: (identifier) @_with
  right: (call_expression
    (use.class_body))
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

(define.braces
  body: (template_body
    .
    "{") @error)

([
  (class_definition
    (use.braces))
  (object_definition
    (use.braces))
  (trait_definition
    (use.braces))
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

(define.new_and_block
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

([
  (block
    (use.new_and_block))
  (compilation_unit
    (use.new_and_block))
  (indented_block
    (use.new_and_block))
  (template_body
    (use.new_and_block))
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

(define.mixed_in
  [
    (identifier) @reference.base
    (field_expression
      value: (_) @receiver
      field: (identifier) @reference.base)
  ])

(infix_expression
  operator: (identifier) @_with
  right: [
    (use.mixed_in)
    (call_expression
      function: [
        (use.mixed_in)
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
  function: (identifier) @reference.call
  arguments: (_) @arguments)

(call_expression
  function: (field_expression
    field: (_) @reference.call)
  arguments: (_) @arguments)

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

; What a class is called, plain or qualified
(define.class_name
  [
    (argument.1)
    (stable_type_identifier
      (_) @receiver
      (argument.1)
      .)
  ])

; and with type arguments
(define.class_type
  [
    (use.class_name (argument.1))
    (generic_type
      type: (use.class_name (argument.1)))
  ])

(define.created_type
  [
    (use.class_type (argument.1))
    (compound_type
      base: (applied_constructor_type
        [
          (argument.1)
          (generic_type
            type: (argument.1))
        ]))
  ])

(extends_clause
  (use.class_type (type_identifier) @reference.base))

(given_definition
  return_type: (use.class_type (type_identifier) @reference.base)
  body: (use.template))

; An anonymous class is a subclass of what it creates.
(instance_expression
  (use.created_type (type_identifier) @reference.base)
  (template_body))

(instance_expression
  (use.created_type (type_identifier) @reference.call))

(stable_type_identifier
  (_) @receiver
  (type_identifier) @reference.type
  .)

; Wherever it stands: to ask for what is around it costs more than all that is found.
(type_identifier) @reference.type

; Bindings

(define.named_type
  [
    (generic_type)
    (stable_type_identifier)
    (type_identifier)
  ])

(define.plain_type
  [
    (compound_type)
    (lazy_parameter_type)
    (use.named_type)
  ])

(define.typed_name
  name: (identifier) @binding
  type: (use.plain_type) @binding.type)

(define.untyped
  pattern: (identifier) @binding
  !type)

(define.returning
  name: (_) @binding
  return_type: (use.plain_type) @binding.type)

(define.made_value
  [
    (call_expression
      function: [
        (field_expression)
        (generic_function)
        (identifier)
      ] @binding.call)
    (instance_expression
      .
      (use.named_type) @binding.type)
  ])

(define.bound_in_pattern
  [
    (tuple_pattern
      (identifier) @binding)
    (case_class_pattern
      (identifier) @binding)
  ])

(function_definition
  (use.returning))

(function_declaration
  (use.returning))

(function_definition
  name: (_) @binding
  !return_type
  body: (use.made_value))

(parameter
  (use.typed_name))

(class_parameter
  (use.typed_name))

(binding
  (use.typed_name))

(typed_pattern
  pattern: (identifier) @binding
  type: (use.plain_type) @binding.type)

[
  (use.val_or_var
    pattern: (identifier) @binding
    type: (use.plain_type) @binding.type)
  (val_declaration
    (use.typed_name))
  (var_declaration
    (use.typed_name))
]

(use.val_or_var
  (use.untyped)
  value: (use.made_value))

; What is read from another is as if it were called.
(use.val_or_var
  (use.untyped)
  value: (field_expression) @binding.call)

; Other variables hide what has their name, and nothing is known of them.

(val_definition
  (use.untyped)
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
  pattern: (use.bound_in_pattern)
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
    (use.bound_in_pattern)
  ]
  [
    "<-"
    "="
  ] @binding.type)

(case_clause
  pattern: [
    (identifier) @binding
    (use.bound_in_pattern)
  ]
  "=>" @binding.type)

(capture_pattern
  name: (identifier) @binding
  "@" @binding.type)

(type_definition
  name: (type_identifier) @binding
  type: (use.named_type) @binding.type)

(given_definition
  (use.returning))

(package_clause
  name: (package_identifier) @package
  !body)

; Imports

(define.alone
  (#not-match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

(define.in_list
  (#match? @import "^[^{},]*([{][^}]*[}][^{},]*)*,"))

(define.renamed_with_as
  (as_renamed_identifier
    name: (_) @import.name
    alias: (_) @import.alias))

; What is behind the last dot, where it is more than a name
(define.selection
  [
    (namespace_wildcard) @import.name
    (use.renamed_with_as)
    (namespace_selectors
      [
        (identifier) @import.name
        (operator_identifier) @import.name
        (namespace_wildcard) @import.name
        (arrow_renamed_identifier
          name: (_) @import.name
          alias: (_) @import.alias)
        (use.renamed_with_as)
      ])
  ])

; A path is a flat list of names: from the first to the one before the last it is the module.
(define.path
  .
  (identifier) @import.module
  (identifier) @import.module)

(define.short_path
  .
  (identifier) @import.module)

(define.import_of
  ((import_declaration
    "import"
    (argument.1)
    .
    (argument.2)) @import
    (use.alone)))

(define.export_of
  ((export_declaration
    "export"
    (argument.1)
    .
    (use.selection)) @import
    (use.alone)))

(define.last_name
  [
    (identifier)
    (operator_identifier)
  ] @import.name
  .)

(use.import_of (use.path) (use.selection))

(use.import_of (use.short_path) (use.selection))

(use.export_of (use.path))

(use.export_of (use.short_path))

(define.given
  "."
  .
  "given" @import.name)

(use.import_of (use.path) (use.given))

(use.import_of (use.path) (use.last_name))

(use.import_of (use.short_path) (use.last_name))

((import_declaration
  "import"
  .
  [
    (identifier) @import.name
    (use.renamed_with_as)
  ]
  .) @import
  (use.alone))

; Several imports in one statement are one flat list, too, with a comma between. Paths are read up to
; a module of two parts.
(define.part
  .
  (identifier) @import.module
  .
  ".")

(define.one_of_several
  ((import_declaration
    (argument.1)
    (use.part)
    .
    (argument.2)) @import
    (use.in_list))

  ((import_declaration
    (argument.1)
    (use.part)
    (use.part)
    .
    (argument.2)) @import
    (use.in_list)))

(define.name_before_comma
  (identifier) @import.name
  .
  ",")

(define.name_at_end
  (identifier) @import.name
  .)

(use.one_of_several "import" (use.selection))

(use.one_of_several "import" (use.name_before_comma))

(use.one_of_several "," @_comma (use.selection))

(use.one_of_several "," @_comma (use.name_before_comma))

(use.one_of_several "," @_comma (use.name_at_end))
