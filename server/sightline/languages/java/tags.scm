; Declarations

(module_declaration
  name: (_) @name
  body: (module_body) @body) @definition.module

(class_declaration
  name: (identifier) @name
  body: (class_body) @body) @definition.class

(record_declaration
  name: (identifier) @name
  body: (class_body) @body) @definition.class

(record_declaration
  parameters: (formal_parameters
    [
      (formal_parameter
        name: (identifier) @name)
      (spread_parameter
        (variable_declarator
          name: (identifier) @name))
    ] @definition.field))

(interface_declaration
  name: (identifier) @name
  body: (interface_body) @body) @definition.interface

(annotation_type_declaration
  name: (identifier) @name
  body: (annotation_type_body) @body) @definition.interface

(annotation_type_element_declaration
  name: (identifier) @name
  value: (_)? @value
  (#set! placeholder "{}")) @definition.method

(enum_declaration
  name: (identifier) @name
  body: (enum_body) @body) @definition.enum

(enum_constant
  name: (identifier) @name
  arguments: (argument_list)? @value
  body: (class_body)? @body
  (#set! placeholder "()")) @definition.constant

(method_declaration
  name: (identifier) @name
  body: (block)? @body) @definition.method

(constructor_declaration
  name: (identifier) @name
  body: (constructor_body) @body) @definition.constructor

(compact_constructor_declaration
  name: (identifier) @name
  body: (block) @body) @definition.constructor

(define.variable
  (variable_declarator
    name: (_) @name
    value: (_)? @value))

(constant_declaration
  declarator: (use.variable) @definition.constant)

(field_declaration
  [
    (modifiers
      "static"
      "final")
    (modifiers
      "final"
      "static")
  ]
  declarator: (use.variable) @definition.constant)

(field_declaration
  declarator: (use.variable) @definition.field)

; What stands around declarations

(constant_declaration
  declarator: (variable_declarator) @wrapped) @wrapper

(field_declaration
  declarator: (variable_declarator) @wrapped) @wrapper

(object_creation_expression
  (class_body) @body) @scope

(lambda_expression) @local

(static_initializer
  (block) @body)

(class_body
  (block) @body)

(enum_body_declarations
  (block) @body)

(define.any_annotation
  [
    (annotation)
    (marker_annotation)
  ])

(modifiers
  (use.any_annotation) @decorator)

(module_declaration
  (use.any_annotation) @decorator)

[
  (line_comment)
  (block_comment)
] @comment

; References

; The name of a class as it is captured, plain or qualified
(define.class_name
  [
    (argument.1)
    (scoped_type_identifier
      (_) @receiver
      (argument.1)
      .)
  ])

; and with type arguments
(define.class_type
  [
    (use.class_name (argument.1))
    (generic_type
      .
      (use.class_name (argument.1)))
  ])

(define.base_type
  [
    (use.class_type (type_identifier) @reference.base)
    (annotated_type
      (use.class_type (type_identifier) @reference.base))
  ])

(define.qualified_name
  (scoped_identifier
    scope: (_) @receiver
    name: (identifier) @reference.type))

(define.annotation_name
  [
    (identifier) @reference.type
    (use.qualified_name)
  ])

(method_invocation
  object: (_)? @receiver
  name: (identifier) @reference.call
  arguments: (argument_list) @arguments)

(method_reference
  .
  (_) @receiver
  (identifier) @reference.value
  .)

(superclass
  (use.base_type))

[
  (super_interfaces
    (type_list
      (use.base_type)))
  (extends_interfaces
    (type_list
      (use.base_type)))
]

; An anonymous class is a subclass of what it creates.
(object_creation_expression
  type: (use.class_type (type_identifier) @reference.base)
  (class_body))

(object_creation_expression
  type: (use.class_type (type_identifier) @reference.call)
  arguments: (argument_list) @arguments)

(method_reference
  .
  [
    (identifier) @reference.call
    (use.class_type (type_identifier) @reference.call)
  ]
  "new")

[
  (annotation
    name: (use.annotation_name))
  (marker_annotation
    name: (use.annotation_name))
]

(scoped_type_identifier
  (_) @receiver
  (type_identifier) @reference.type
  .)

; Wherever it stands: to ask for what is around it, or whether it is the package of a qualified
; name or a type parameter, would cost more than all other types together.
((type_identifier) @reference.type
  (#not-eq? @reference.type "var"))

; Only its case tells a type in front of a static member from a variable.
(field_access
  object: (identifier) @reference.type
  (#match? @reference.type "^[A-Z]"))

(record_pattern
  .
  (identifier) @reference.type)

(uses_module_directive
  type: (use.qualified_name))

(provides_module_directive
  (use.qualified_name))

; Bindings. What has a primitive type has no members that anybody declares.

(define.declared_type
  [
    (array_type)
    (generic_type)
    (scoped_type_identifier)
    (type_identifier)
  ])

(define.typed_name
  type: (use.declared_type) @binding.type
  name: (identifier) @binding)

(define.typed_declarator
  type: (use.declared_type) @binding.type
  declarator: (variable_declarator
    name: (identifier) @binding))

(define.made_value
  [
    (object_creation_expression
      type: (_) @binding.type)
    (method_invocation
      object: (_)? @binding.call
      name: (identifier) @binding.call)
  ])

(method_declaration
  (use.typed_name))

(annotation_type_element_declaration
  (use.typed_name))

(formal_parameter
  (use.typed_name))

(field_declaration
  (use.typed_declarator))

(constant_declaration
  (use.typed_declarator))

(local_variable_declaration
  (use.typed_declarator)
  (#not-eq? @binding.type "var"))

(local_variable_declaration
  type: (type_identifier) @_var
  declarator: (variable_declarator
    name: (identifier) @binding
    value: [
      (use.made_value)
      (cast_expression
        type: (_) @binding.type)
    ])
  (#eq? @_var "var"))

(enhanced_for_statement
  (use.typed_name)
  (#not-eq? @binding.type "var"))

(resource
  (use.typed_name)
  (#not-eq? @binding.type "var"))

(resource
  type: (type_identifier) @_var
  name: (identifier) @binding
  value: (use.made_value)
  (#eq? @_var "var"))

(local_variable_declaration
  type: (type_identifier) @_var
  declarator: (variable_declarator
    name: (identifier) @binding
    value: [
      (array_access)
      (field_access)
      (identifier)
    ] @binding.value)
  (#eq? @_var "var"))

(enhanced_for_statement
  type: (type_identifier) @_var
  name: (identifier) @binding
  value: (_) @binding.element
  (#eq? @_var "var"))

(method_invocation
  object: (_) @binding.element
  arguments: (argument_list
    (lambda_expression
      parameters: [
        (identifier) @binding
        (inferred_parameters
          .
          (identifier) @binding
          .)
      ])))

(type_parameter
  (type_identifier) @binding
  (type_bound
    .
    (_) @binding.bound))

(type_parameter
  (type_identifier) @binding @binding.bound
  .)

; What variables do not leave. Methods are declarations, and a loop ends with its block.

[
  (catch_clause)
  (enhanced_for_statement)
  (for_statement)
  (lambda_expression)
  (switch_block_statement_group)
  (switch_rule)
  (try_with_resources_statement)
] @block

(if_statement
  consequence: (block) @block)

(if_statement
  alternative: (block) @block)

(try_statement
  body: (block) @block)

(while_statement
  body: (block) @block)

(block
  (block) @block)

; Other variables hide what has their name, and nothing is known of them.

(lambda_expression
  parameters: [
    (identifier) @binding
    (inferred_parameters
      (identifier) @binding)
  ]
  "->" @binding.type)

(enhanced_for_statement
  type: (type_identifier) @binding.type
  name: (identifier) @binding
  (#eq? @binding.type "var"))

(catch_formal_parameter
  (catch_type
    .
    (_) @binding.type
    .)
  name: (identifier) @binding)

(instanceof_expression
  right: (use.declared_type) @binding.type
  name: (identifier) @binding)

(type_pattern
  .
  (use.declared_type) @binding.type
  .
  (identifier) @binding)

(package_declaration
  [
    (identifier)
    (scoped_identifier)
  ] @package)

; Imports

(import_declaration
  (scoped_identifier
    scope: (_) @import.module
    name: (_) @import.name)
  .
  ";") @import

(import_declaration
  [
    (identifier)
    (scoped_identifier)
  ] @import.module
  (asterisk) @import.name) @import

(import_declaration
  (identifier) @import.name
  .
  ";") @import

(requires_module_directive
  module: (_) @import.module) @import
