; Written with the parts of `ecma`.

(define.class_name
  (type_identifier))

(define.class
  [
    (class_declaration
      name: (type_identifier) @name
      body: (class_body) @body)
    (abstract_class_declaration
      name: (type_identifier) @name
      body: (class_body) @body)
  ])

(define.field
  (public_field_definition
    name: (_) @name
    value: (argument.1)))

; An object or array, as it is or before `as T`, `satisfies T` or both
(define.with_type
  [
    (argument.1)
    (as_expression
      (argument.1))
    (satisfies_expression
      [
        (argument.1)
        (as_expression
          (argument.1))
      ])
  ])

; `: T`
(define.type
  (type_annotation
    (_) @binding.type))

(define.typed_value
  [
    (use.made)
    (as_expression
      "as"
      .
      (_) @binding.type)
    (arrow_function
      return_type: (use.type))
    (function_expression
      return_type: (use.type))
  ])

; `T`, `a.T`, `T<U>` or `a.T<U>`
(define.base_type
  [
    (type_identifier) @reference.base
    (nested_type_identifier
      module: (_) @receiver
      name: (type_identifier) @reference.base)
    (generic_type
      name: [
        (type_identifier) @reference.base
        (nested_type_identifier
          module: (_) @receiver
          name: (type_identifier) @reference.base)
      ])
  ])

; Declarations

(use.declarations)

(function_signature
  name: (identifier) @name) @definition.function

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

(define.namespace
  [
    (internal_module
      name: (argument.1)
      body: (statement_block) @body)
    (module
      name: (argument.1)
      body: (statement_block) @body)
  ] @definition.module)

(use.namespace
  [
    (identifier) @name
    (nested_identifier
      object: [
        (identifier) @name
        (member_expression
          object: (identifier) @name)
      ])
  ])

(use.namespace
  (nested_identifier
    object: (member_expression
      object: (identifier) @container
      property: (property_identifier) @name)))

(use.namespace
  (nested_identifier
    object: (_) @container
    property: (property_identifier) @name))

(module
  name: (string) @name
  body: (statement_block)? @body) @definition.module

(ambient_declaration
  "global" @name
  (statement_block) @body) @definition.module

; Members

(use.members)

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

(define.property_of_type
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
  (use.property_of_type))

(interface_body
  (method_signature
    name: (_) @name) @definition.method)

(type_alias_declaration
  value: (object_type
    (use.property_of_type)))

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

; Functions, classes and values bound to a name

(use.bound_functions)

(public_field_definition
  value: (use.own_name))

(use.named_values)

(use.variables)

; What stands around declarations

(use.surroundings)

(ambient_declaration
  (_) @wrapped) @wrapper

(expression_statement
  .
  (internal_module) @wrapped) @wrapper

; References

(extends_clause
  value: (use.base))

(implements_clause
  (use.base_type))

(extends_type_clause
  type: (use.base_type))

(call_expression
  function: [
    (use.callee)
    (non_null_expression
      (use.callee))
  ])

; The grammar takes `await f<T>()` for a call of `await f`.
(call_expression
  function: (await_expression
    (use.callee)))

(use.references)

(nested_type_identifier
  module: (_) @receiver
  name: (type_identifier) @reference.type)

(type_query
  [
    (identifier) @reference.type
    (use.member (property_identifier) @reference.type)
  ])

; Wherever it stands: to name every node around a type would cost far more. That the name of a type
; parameter is taken for a use, too, does no harm.
(type_identifier) @reference.type

(use.values)

; Names whose type is plain

(type_parameter
  name: (type_identifier) @binding
  constraint: (constraint
    (_) @binding.bound))

(type_parameter
  name: (type_identifier) @binding @binding.bound)

; Another name for a type
(type_alias_declaration
  name: (type_identifier) @binding
  value: (_) @binding.type)

(required_parameter
  pattern: (identifier) @binding
  type: (use.type))

(optional_parameter
  pattern: (identifier) @binding
  type: (use.type))

; What is taken apart has its place among the parameters.
(required_parameter
  pattern: [
    (array_pattern)
    (object_pattern)
    (rest_pattern)
  ] @binding
  type: (use.type))

(required_parameter
  pattern: [
    (array_pattern)
    (object_pattern)
  ] @binding
  !type)

; A parameter of a function that is passed to another one, or whose type is written before it

(define.taken
  [
    (array_pattern)
    (identifier)
    (object_pattern)
  ] @binding)

(define.taking_function
  [
    (arrow_function
      parameters: (formal_parameters
        (required_parameter
          pattern: (use.taken)
          !type)) @binding.parameters)
    (arrow_function
      parameter: (identifier) @binding @binding.parameters)
    (function_expression
      parameters: (formal_parameters
        (required_parameter
          pattern: (use.taken)
          !type)) @binding.parameters)
  ])

; A function in an object: its member says what it takes.
(define.taking_member
  (object
    [
      (pair
        key: (property_identifier) @binding.key
        value: (use.taking_function))
      (method_definition
        name: (property_identifier) @binding.key
        parameters: (formal_parameters
          (required_parameter
            pattern: (use.taken)
            !type)) @binding.parameters)
    ]))

(call_expression
  function: [
    (identifier)
    (member_expression)
  ] @binding.passed
  arguments: (arguments
    [
      (use.taking_function)
      (use.taking_member)
    ]) @binding.arguments)

(variable_declarator
  type: (type_annotation
    (_) @binding.taken)
  value: [
    (use.taking_function)
    (use.taking_member)
  ])

(_
  return_type: (type_annotation
    (_) @binding.taken)
  body: (statement_block
    (return_statement
      (use.taking_function))))

; A parameter without a type is bound to itself: it hides what else has its name.
(required_parameter
  pattern: (identifier) @binding
  !type)

(variable_declarator
  name: [
    (array_pattern)
    (identifier)
    (object_pattern)
  ] @binding
  type: (use.type))

(public_field_definition
  name: (_) @binding
  type: (use.type))

(property_signature
  name: (_) @binding
  type: (use.type))

(function_declaration
  name: (_) @binding
  return_type: (use.type))

(function_signature
  name: (_) @binding
  return_type: (use.type))

(method_definition
  name: (_) @binding
  return_type: (use.type))

(method_signature
  name: (_) @binding
  return_type: (use.type))

(abstract_method_signature
  name: (_) @binding
  return_type: (use.type))

(use.bindings)

(public_field_definition
  name: (_) @binding
  value: (use.typed_value))

; Each way to call an object is by itself.
(call_signature) @block

; Imports

(use.imports)

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
