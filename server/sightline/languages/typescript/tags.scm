; Declarations

(function_declaration
  name: (identifier) @name
  body: (statement_block) @body) @definition.function

(generator_function_declaration
  name: (identifier) @name
  body: (statement_block) @body) @definition.function

(function_signature
  name: (identifier) @name) @definition.function

; What stands in the decorators before `export` is the class's, too.
(export_statement
  decorator: (decorator)
  declaration: [
    (class_declaration
      name: (type_identifier) @name
      body: (class_body) @body)
    (abstract_class_declaration
      name: (type_identifier) @name
      body: (class_body) @body)
  ]) @definition.class

(class_declaration
  name: (type_identifier) @name
  body: (class_body) @body) @definition.class

(abstract_class_declaration
  name: (type_identifier) @name
  body: (class_body) @body) @definition.class

(interface_declaration
  name: (type_identifier) @name
  body: (interface_body) @body) @definition.interface

(enum_declaration
  name: (identifier) @name
  body: (enum_body) @body) @definition.enum

(type_alias_declaration
  name: (type_identifier) @name
  value: (object_type) @body) @definition.type

(type_alias_declaration
  name: (type_identifier) @name) @definition.type

; `namespace A.B.C` declares a namespace for each of its names.

(internal_module
  name: [
    (identifier) @name
    (nested_identifier
      object: (identifier) @name)
    (nested_identifier
      object: (member_expression
        object: (identifier) @name))
  ]
  body: (statement_block) @body) @definition.module

(internal_module
  name: (nested_identifier
    object: (member_expression
      object: (identifier) @container
      property: (property_identifier) @name))
  body: (statement_block) @body) @definition.module

(internal_module
  name: (nested_identifier
    object: (_) @container
    property: (property_identifier) @name)
  body: (statement_block) @body) @definition.module

(module
  name: [
    (identifier) @name
    (nested_identifier
      object: (identifier) @name)
    (nested_identifier
      object: (member_expression
        object: (identifier) @name))
  ]
  body: (statement_block) @body) @definition.module

(module
  name: (nested_identifier
    object: (member_expression
      object: (identifier) @container
      property: (property_identifier) @name))
  body: (statement_block) @body) @definition.module

(module
  name: (nested_identifier
    object: (_) @container
    property: (property_identifier) @name)
  body: (statement_block) @body) @definition.module

(module
  name: (string) @name
  body: (statement_block)? @body) @definition.module

(ambient_declaration
  "global" @name
  (statement_block) @body) @definition.module

; Members

((class_body
  (method_definition
    name: (property_identifier) @name
    body: (statement_block) @body) @definition.constructor)
  (#eq? @name "constructor"))

((method_definition
  [
    "get"
    "set"
  ]
  name: (_) @name
  body: (statement_block) @body) @definition.property
  (#set! local "keep"))

(method_definition
  name: (_) @name
  body: (statement_block) @body) @definition.method

((class_body
  (method_signature
    name: (property_identifier) @name) @definition.constructor)
  (#eq? @name "constructor"))

(class_body
  (method_signature
    [
      "get"
      "set"
    ]
    name: (_) @name) @definition.property)

(abstract_method_signature
  [
    "get"
    "set"
  ]
  name: (_) @name) @definition.property

(class_body
  (method_signature
    name: (_) @name) @definition.method)

(abstract_method_signature
  name: (_) @name) @definition.method

(interface_body
  [
    (method_signature
      [
        "get"
        "set"
      ]
      name: (_) @name)
    (property_signature
      name: (_) @name)
  ] @definition.property)

(interface_body
  (method_signature
    name: (_) @name) @definition.method)

(type_alias_declaration
  value: (object_type
    [
      (method_signature
        [
          "get"
          "set"
        ]
        name: (_) @name)
      (property_signature
        name: (_) @name)
    ] @definition.property))

(type_alias_declaration
  value: (object_type
    (method_signature
      name: (_) @name) @definition.method))

(enum_body
  name: (_) @name @definition.constant)

(enum_assignment
  name: (_) @name
  value: (_) @value) @definition.constant

; A parameter with a modifier is a field of the class.
(required_parameter
  [
    (accessibility_modifier)
    (override_modifier)
    "readonly"
  ]
  pattern: (identifier) @name) @definition.field

(optional_parameter
  [
    (accessibility_modifier)
    (override_modifier)
    "readonly"
  ]
  pattern: (identifier) @name) @definition.field

(public_field_definition
  name: (_) @name
  value: [
    (arrow_function
      body: (_) @body)
    (function_expression
      body: (_) @body)
    (generator_function
      body: (_) @body)
  ]) @definition.method

(pair
  key: (_) @name
  value: [
    (arrow_function
      body: (_) @body)
    (function_expression
      body: (_) @body)
    (generator_function
      body: (_) @body)
  ]) @definition.method

(pair
  key: (_) @name
  value: (class
    body: (class_body) @body)) @definition.class

; Functions and classes bound to a name

(variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function
      body: (_) @body)
    (function_expression
      body: (_) @body)
    (generator_function
      body: (_) @body)
  ]) @definition.function

(variable_declarator
  name: (identifier) @name
  value: (class
    body: (class_body) @body)) @definition.class

((assignment_expression
  left: (member_expression
    object: (identifier) @_module
    property: (property_identifier) @_exports)
  right: [
    (function_expression
      name: (identifier) @name
      body: (_) @body)
    (generator_function
      name: (identifier) @name
      body: (_) @body)
  ]) @definition.function
  (#eq? @_module "module")
  (#eq? @_exports "exports"))

((assignment_expression
  left: (member_expression
    object: (identifier) @_module
    property: (property_identifier) @name)
  right: [
    (arrow_function
      body: (_) @body)
    (function_expression
      !name
      body: (_) @body)
    (generator_function
      !name
      body: (_) @body)
  ]) @definition.function
  (#eq? @_module "module")
  (#eq? @name "exports"))

((assignment_expression
  left: (member_expression
    object: [
      (identifier) @_exports
      (member_expression
        object: (identifier) @_module
        property: (property_identifier) @_exports)
    ]
    property: (property_identifier) @name)
  right: [
    (arrow_function
      body: (_) @body)
    (function_expression
      body: (_) @body)
    (generator_function
      body: (_) @body)
  ]) @definition.function
  (#eq? @_module "module")
  (#eq? @_exports "exports"))

((assignment_expression
  left: (member_expression
    object: (member_expression
      object: (_) @container
      property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [
    (arrow_function
      body: (_) @body)
    (function_expression
      body: (_) @body)
    (generator_function
      body: (_) @body)
  ]) @definition.function
  (#eq? @_prototype "prototype"))

((assignment_expression
  left: (member_expression
    object: (identifier) @_module
    property: (property_identifier) @_exports)
  right: (class
    name: (type_identifier) @name
    body: (class_body) @body)) @definition.class
  (#eq? @_module "module")
  (#eq? @_exports "exports"))

((assignment_expression
  left: (member_expression
    object: (identifier) @_module
    property: (property_identifier) @name)
  right: (class
    !name
    body: (class_body) @body)) @definition.class
  (#eq? @_module "module")
  (#eq? @name "exports"))

((assignment_expression
  left: (member_expression
    object: [
      (identifier) @_exports
      (member_expression
        object: (identifier) @_module
        property: (property_identifier) @_exports)
    ]
    property: (property_identifier) @name)
  right: (class
    body: (class_body) @body)) @definition.class
  (#eq? @_module "module")
  (#eq? @_exports "exports"))

; `a.b = a.c = function` binds both names; the first one's node must not enclose the second.
((assignment_expression
  left: (member_expression
    object: [
      (identifier) @_exports
      (member_expression
        object: (identifier) @_module
        property: (property_identifier) @_exports)
    ]
    property: (property_identifier) @name) @definition.function
  right: (assignment_expression
    right: [
      (arrow_function
        body: (_) @body)
      (function_expression
        body: (_) @body)
      (generator_function
        body: (_) @body)
    ]))
  (#eq? @_module "module")
  (#eq? @_exports "exports"))

((assignment_expression
  left: (member_expression
    object: (member_expression
      object: (_) @container
      property: (property_identifier) @_prototype)
    property: (property_identifier) @name) @definition.function
  right: (assignment_expression
    right: [
      (arrow_function
        body: (_) @body)
      (function_expression
        body: (_) @body)
      (generator_function
        body: (_) @body)
    ]))
  (#eq? @_prototype "prototype"))

; The own name of a function that is bound to another name is known only inside it.
(variable_declarator
  value: [
    (function_expression
      name: (identifier) @name)
    (generator_function
      name: (identifier) @name)
  ] @definition.variable)

(assignment_expression
  right: [
    (function_expression
      name: (identifier) @name)
    (generator_function
      name: (identifier) @name)
  ] @definition.variable)

(pair
  value: [
    (function_expression
      name: (identifier) @name)
    (generator_function
      name: (identifier) @name)
  ] @definition.variable)

(public_field_definition
  value: [
    (function_expression
      name: (identifier) @name)
    (generator_function
      name: (identifier) @name)
  ] @definition.variable)

(function_expression
  name: (identifier) @name
  body: (statement_block) @body) @definition.function

(generator_function
  name: (identifier) @name
  body: (statement_block) @body) @definition.function

; A class as a value. The token in front of it says so: to wait for one in every list of arguments
; would cost far more.
([
  "("
  ","
  "["
  "return"
  "=>"
]
  .
  (class
    name: (type_identifier) @name
    body: (class_body) @body) @definition.class)

; `export default` without a name

(export_statement
  .
  "default" @name
  value: [
    (arrow_function
      body: (_) @body)
    (function_expression
      !name
      body: (_) @body)
    (generator_function
      !name
      body: (_) @body)
  ] @definition.function)

(export_statement
  .
  "default" @name
  value: (class
    !name
    body: (class_body) @body) @definition.class)

; Variables and fields

((variable_declarator
  name: (identifier) @name
  value: [
    (object) @value
    (as_expression
      (object) @value)
    (satisfies_expression
      (object) @value)
    (satisfies_expression
      (as_expression
        (object) @value))
  ]) @definition.variable
  (#set! placeholder "{}"))

((variable_declarator
  name: (identifier) @name
  value: [
    (array) @value
    (as_expression
      (array) @value)
    (satisfies_expression
      (array) @value)
    (satisfies_expression
      (as_expression
        (array) @value))
  ]) @definition.variable
  (#set! placeholder "[]"))

((variable_declarator
  name: (identifier) @name
  value: [
    (call_expression
      function: [
        (identifier)
        (member_expression
          object: [
            (identifier)
            (this)
          ])
      ]
      arguments: (arguments) @value)
    (await_expression
      (call_expression
        function: [
          (identifier)
          (member_expression
            object: [
              (identifier)
              (this)
            ])
        ]
        arguments: (arguments) @value))
    (new_expression
      arguments: (arguments) @value)
  ]) @definition.variable
  (#set! placeholder "()"))

((variable_declarator
  name: (identifier) @name
  value: [
    (template_string) @value
    (call_expression
      arguments: (template_string) @value)
  ]) @definition.variable
  (#set! placeholder "``"))

(variable_declarator
  name: (identifier) @name
  value: (_)? @value) @definition.variable

(variable_declarator
  name: [
    (array_pattern
      [
        (identifier) @name
        (array_pattern
          (identifier) @name)
        (assignment_pattern
          left: (identifier) @name)
        (object_pattern
          (shorthand_property_identifier_pattern) @name)
        (rest_pattern
          (identifier) @name)
      ])
    (object_pattern
      [
        (shorthand_property_identifier_pattern) @name
        (object_assignment_pattern
          left: (shorthand_property_identifier_pattern) @name)
        (pair_pattern
          value: (identifier) @name)
        (pair_pattern
          value: (assignment_pattern
            left: (identifier) @name))
        (pair_pattern
          value: [
            (array_pattern
              (identifier) @name)
            (assignment_pattern
              left: (object_pattern
                (shorthand_property_identifier_pattern) @name))
            (object_pattern
              [
                (shorthand_property_identifier_pattern) @name
                (object_assignment_pattern
                  left: (shorthand_property_identifier_pattern) @name)
                (pair_pattern
                  value: (identifier) @name)
                (rest_pattern
                  (identifier) @name)
              ])
          ])
        (rest_pattern
          (identifier) @name)
      ])
  ]
  value: (_)? @value) @definition.variable

((public_field_definition
  name: (_) @name
  value: [
    (object) @value
    (as_expression
      (object) @value)
    (satisfies_expression
      (object) @value)
    (satisfies_expression
      (as_expression
        (object) @value))
  ]) @definition.field
  (#set! placeholder "{}"))

((public_field_definition
  name: (_) @name
  value: [
    (array) @value
    (as_expression
      (array) @value)
    (satisfies_expression
      (array) @value)
    (satisfies_expression
      (as_expression
        (array) @value))
  ]) @definition.field
  (#set! placeholder "[]"))

((public_field_definition
  name: (_) @name
  value: [
    (call_expression
      function: [
        (identifier)
        (member_expression
          object: [
            (identifier)
            (this)
          ])
      ]
      arguments: (arguments) @value)
    (new_expression
      arguments: (arguments) @value)
  ]) @definition.field
  (#set! placeholder "()"))

((public_field_definition
  name: (_) @name
  value: [
    (template_string) @value
    (call_expression
      arguments: (template_string) @value)
  ]) @definition.field
  (#set! placeholder "``"))

(public_field_definition
  name: (_) @name
  value: (_)? @value) @definition.field

((export_statement
  .
  "default" @name
  value: [
    (object) @value
    (as_expression
      (object) @value)
    (satisfies_expression
      (object) @value)
    (satisfies_expression
      (as_expression
        (object) @value))
  ] @definition.variable)
  (#set! placeholder "{}"))

((export_statement
  .
  "default" @name
  value: [
    (array) @value
    (as_expression
      (array) @value)
    (satisfies_expression
      (array) @value)
    (satisfies_expression
      (as_expression
        (array) @value))
  ] @definition.variable)
  (#set! placeholder "[]"))

((export_statement
  .
  "default" @name
  value: [
    (call_expression
      function: [
        (identifier)
        (member_expression
          object: [
            (identifier)
            (this)
          ])
      ]
      arguments: (arguments) @value)
    (new_expression
      arguments: (arguments) @value)
  ] @definition.variable)
  (#set! placeholder "()"))

; Data beside the methods of an object

((pair
  value: [
    (object) @value
    (as_expression
      (object) @value)
    (satisfies_expression
      (object) @value)
    (satisfies_expression
      (as_expression
        (object) @value))
  ])
  (#set! placeholder "{}"))

((pair
  value: [
    (array) @value
    (as_expression
      (array) @value)
    (satisfies_expression
      (array) @value)
    (satisfies_expression
      (as_expression
        (array) @value))
  ])
  (#set! placeholder "[]"))

((pair
  value: [
    (call_expression
      function: [
        (identifier)
        (member_expression
          object: [
            (identifier)
            (this)
          ])
      ]
      arguments: (arguments) @value)
    (new_expression
      arguments: (arguments) @value)
  ])
  (#set! placeholder "()"))

; What stands around declarations

(export_statement
  declaration: (_) @wrapped) @wrapper

(export_statement
  value: (_) @wrapped) @wrapper

(ambient_declaration
  (_) @wrapped) @wrapper

(expression_statement
  .
  (internal_module) @wrapped) @wrapper

(lexical_declaration
  (variable_declarator) @wrapped) @wrapper

(variable_declaration
  (variable_declarator) @wrapped) @wrapper

(expression_statement
  .
  (assignment_expression) @wrapped) @wrapper

(assignment_expression
  right: (assignment_expression) @wrapped) @wrapper

(assignment_expression
  left: (member_expression) @wrapped
  right: (assignment_expression)) @wrapper

((assignment_expression
  left: (member_expression
    object: (_) @container
    property: (property_identifier) @_prototype)
  right: (object) @body) @scope
  (#eq? @_prototype "prototype"))

([
  "("
  ","
  "["
  "return"
  "=>"
]
  .
  (class
    !name
    body: (class_body) @body) @scope)

(decorator) @decorator

[
  (comment)
  (html_comment)
] @comment

[
  (arrow_function)
  (function_expression)
  (generator_function)
] @local

; What a statement's block declares is known only there.
[
  (do_statement)
  (for_in_statement)
  (for_statement)
  (if_statement)
  (switch_statement)
  (try_statement)
  (while_statement)
] @local

(program
  (statement_block) @local)

(class_static_block
  body: (statement_block) @body)

(program
  (expression_statement
    (string)) @keep)

((expression_statement
  (assignment_expression
    left: [
      (member_expression
        object: (identifier) @_exports)
      (member_expression
        object: (identifier) @_module
        property: (property_identifier) @_exports)
    ]
    right: [
      (identifier)
      (member_expression)
      (object
        .
        (shorthand_property_identifier))
    ])) @keep
  (#eq? @_module "module")
  (#eq? @_exports "exports"))

; References

(extends_clause
  value: [
    (identifier) @reference.base
    (member_expression
      object: (_) @receiver
      property: (property_identifier) @reference.base)
    (call_expression
      arguments: (arguments
        (identifier) @reference.base))
  ])

(implements_clause
  [
    (type_identifier) @reference.base
    (nested_type_identifier
      module: (_) @receiver
      name: (type_identifier) @reference.base)
    (generic_type
      name: (type_identifier) @reference.base)
    (generic_type
      name: (nested_type_identifier
        module: (_) @receiver
        name: (type_identifier) @reference.base))
  ])

(extends_type_clause
  type: [
    (type_identifier) @reference.base
    (nested_type_identifier
      module: (_) @receiver
      name: (type_identifier) @reference.base)
    (generic_type
      name: (type_identifier) @reference.base)
    (generic_type
      name: (nested_type_identifier
        module: (_) @receiver
        name: (type_identifier) @reference.base))
  ])

(call_expression
  function: [
    (identifier) @reference.call
    (member_expression
      object: (_) @receiver
      property: (_) @reference.call)
    (non_null_expression
      [
        (identifier) @reference.call
        (member_expression
          object: (_) @receiver
          property: (_) @reference.call)
      ])
  ])

; The grammar takes `await f<T>()` for a call of `await f`.
(call_expression
  function: (await_expression
    [
      (identifier) @reference.call
      (member_expression
        object: (_) @receiver
        property: (_) @reference.call)
    ]))

(new_expression
  constructor: [
    (identifier) @reference.call
    (member_expression
      object: (_) @receiver
      property: (_) @reference.call)
  ])

(decorator
  [
    (identifier) @reference.call
    (member_expression
      object: (_) @receiver
      property: (property_identifier) @reference.call)
  ])

(nested_type_identifier
  module: (_) @receiver
  name: (type_identifier) @reference.type)

(type_query
  [
    (identifier) @reference.type
    (member_expression
      object: (_) @receiver
      property: (property_identifier) @reference.type)
  ])

; Wherever it stands: to name every node around a type would cost far more. That the name of a type
; parameter is taken for a use, too, does no harm.
(type_identifier) @reference.type

(binary_expression
  operator: "instanceof"
  right: [
    (identifier) @reference.type
    (member_expression
      object: (_) @receiver
      property: (property_identifier) @reference.type)
  ])

; Names whose type is plain

(type_parameter
  name: (type_identifier) @binding
  constraint: (constraint
    (_) @binding.type))

(required_parameter
  pattern: (identifier) @binding
  type: (type_annotation
    (_) @binding.type))

(optional_parameter
  pattern: (identifier) @binding
  type: (type_annotation
    (_) @binding.type))

; A parameter without a type is bound to itself: it hides what else has its name.
(required_parameter
  pattern: (identifier) @binding @binding.type
  !type)

(arrow_function
  parameter: (identifier) @binding @binding.type)

(variable_declarator
  name: (identifier) @binding
  type: (type_annotation
    (_) @binding.type))

(public_field_definition
  name: (_) @binding
  type: (type_annotation
    (_) @binding.type))

(property_signature
  name: (_) @binding
  type: (type_annotation
    (_) @binding.type))

(function_declaration
  name: (_) @binding
  return_type: (type_annotation
    (_) @binding.type))

(function_signature
  name: (_) @binding
  return_type: (type_annotation
    (_) @binding.type))

(method_definition
  name: (_) @binding
  return_type: (type_annotation
    (_) @binding.type))

(method_signature
  name: (_) @binding
  return_type: (type_annotation
    (_) @binding.type))

(abstract_method_signature
  name: (_) @binding
  return_type: (type_annotation
    (_) @binding.type))

; What `require` gives is known as an import.
((variable_declarator
  name: (identifier) @binding
  value: [
    (new_expression
      constructor: (_) @binding.type)
    (call_expression
      function: [
        (identifier)
        (member_expression)
      ] @binding.call)
    (await_expression
      (call_expression
        function: [
          (identifier)
          (member_expression)
        ] @binding.call))
    (as_expression
      "as"
      .
      (_) @binding.type)
    (arrow_function
      return_type: (type_annotation
        (_) @binding.type))
    (function_expression
      return_type: (type_annotation
        (_) @binding.type))
  ])
  (#not-eq? @binding.call "require"))

(public_field_definition
  name: (_) @binding
  value: [
    (new_expression
      constructor: (_) @binding.type)
    (call_expression
      function: [
        (identifier)
        (member_expression)
      ] @binding.call)
    (await_expression
      (call_expression
        function: [
          (identifier)
          (member_expression)
        ] @binding.call))
    (as_expression
      "as"
      .
      (_) @binding.type)
    (arrow_function
      return_type: (type_annotation
        (_) @binding.type))
    (function_expression
      return_type: (type_annotation
        (_) @binding.type))
  ])

(assignment_expression
  left: (member_expression
    object: (this)) @binding
  right: [
    (new_expression
      constructor: (_) @binding.type)
    (call_expression
      function: [
        (identifier)
        (member_expression)
      ] @binding.call)
    (await_expression
      (call_expression
        function: [
          (identifier)
          (member_expression)
        ] @binding.call))
  ])

; What a file exports without a name, or as a whole

(export_statement
  "default" @binding
  value: (identifier) @binding.type)

(export_statement
  "default" @binding
  declaration: (_
    name: (_) @binding.type))

((export_specifier
  name: (identifier) @binding.type
  alias: _ @binding)
  (#eq? @binding "default"))

((assignment_expression
  left: (member_expression
    object: (identifier) @_module
    property: (property_identifier) @_exports) @binding
  right: [
    (identifier) @binding.type
    (class
      name: (_) @binding.type)
    (function_expression
      name: (identifier) @binding.type)
  ])
  (#eq? @_module "module")
  (#eq? @_exports "exports"))

; Imports

(import_clause
  (identifier) @import.alias)

(namespace_import
  "*" @import.name
  (identifier) @import.alias)

(import_specifier
  name: (_) @import.name
  alias: (identifier)? @import.alias)

(import_statement
  source: (string) @import.module) @import

(import_statement
  (import_require_clause
    (identifier) @import.alias
    source: (string) @import.module)) @import

(import_alias
  .
  (identifier) @import.alias
  (_) @import.module) @import

(export_specifier
  name: (_) @import.name
  alias: (_)? @import.alias)

(export_statement
  source: (string) @import.module) @import

(namespace_export
  "*" @import.name
  (_) @import.alias)

(export_statement
  "*" @import.name)

; The names that a `require` is bound to are imported, not declared.
((variable_declarator
  value: [
    (call_expression
      function: (identifier) @_require)
    (member_expression
      object: (call_expression
        function: (identifier) @_require))
  ]) @local
  (#eq? @_require "require"))

([
  (lexical_declaration
    (variable_declarator
      name: (identifier) @import.alias
      value: [
        (call_expression
          function: (identifier) @_require
          arguments: (arguments
            .
            (string) @import.module))
        (member_expression
          object: (call_expression
            function: (identifier) @_require
            arguments: (arguments
              .
              (string) @import.module))
          property: (property_identifier) @import.name)
      ]))
  (variable_declaration
    (variable_declarator
      name: (identifier) @import.alias
      value: [
        (call_expression
          function: (identifier) @_require
          arguments: (arguments
            .
            (string) @import.module))
        (member_expression
          object: (call_expression
            function: (identifier) @_require
            arguments: (arguments
              .
              (string) @import.module))
          property: (property_identifier) @import.name)
      ]))
] @import
  (#eq? @_require "require"))

([
  (lexical_declaration
    (variable_declarator
      name: (object_pattern
        [
          (shorthand_property_identifier_pattern) @import.name
          (object_assignment_pattern
            left: (shorthand_property_identifier_pattern) @import.name)
          (pair_pattern
            key: (_) @import.name
            value: (_) @import.alias)
        ])
      value: (call_expression
        function: (identifier) @_require
        arguments: (arguments
          .
          (string) @import.module))))
  (variable_declaration
    (variable_declarator
      name: (object_pattern
        [
          (shorthand_property_identifier_pattern) @import.name
          (object_assignment_pattern
            left: (shorthand_property_identifier_pattern) @import.name)
          (pair_pattern
            key: (_) @import.name
            value: (_) @import.alias)
        ])
      value: (call_expression
        function: (identifier) @_require
        arguments: (arguments
          .
          (string) @import.module))))
] @import
  (#eq? @_require "require"))

([
  (expression_statement
    .
    (call_expression
      function: (identifier) @_require
      arguments: (arguments
        .
        (string) @import.module
        .)))
  (expression_statement
    .
    (assignment_expression
      right: (call_expression
        function: (identifier) @_require
        arguments: (arguments
          .
          (string) @import.module
          .))))
] @import
  (#eq? @_require "require"))

; A module that is loaded when it is needed
(call_expression
  function: (import)
  arguments: (arguments
    .
    (string) @import.module)) @import
