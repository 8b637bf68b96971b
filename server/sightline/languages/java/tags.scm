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

(constant_declaration
  declarator: (variable_declarator
    name: (_) @name
    value: (_)? @value) @definition.constant)

(field_declaration
  [
    (modifiers
      "static"
      "final")
    (modifiers
      "final"
      "static")
  ]
  declarator: (variable_declarator
    name: (_) @name
    value: (_)? @value) @definition.constant)

(field_declaration
  declarator: (variable_declarator
    name: (_) @name
    value: (_)? @value) @definition.field)

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

(modifiers
  [
    (annotation)
    (marker_annotation)
  ] @decorator)

(module_declaration
  [
    (annotation)
    (marker_annotation)
  ] @decorator)

[
  (line_comment)
  (block_comment)
] @comment

; References

(method_invocation
  object: (_)? @receiver
  name: (identifier) @reference.call)

(method_reference
  .
  (_) @receiver
  (identifier) @reference.call
  .)

(superclass
  [
    (type_identifier) @reference.base
    (scoped_type_identifier
      (_) @receiver
      (type_identifier) @reference.base
      .)
    (generic_type
      .
      [
        (type_identifier) @reference.base
        (scoped_type_identifier
          (_) @receiver
          (type_identifier) @reference.base
          .)
      ])
    (annotated_type
      [
        (type_identifier) @reference.base
        (scoped_type_identifier
          (_) @receiver
          (type_identifier) @reference.base
          .)
        (generic_type
          .
          [
            (type_identifier) @reference.base
            (scoped_type_identifier
              (_) @receiver
              (type_identifier) @reference.base
              .)
          ])
      ])
  ])

[
  (super_interfaces
    (type_list
      [
        (type_identifier) @reference.base
        (scoped_type_identifier
          (_) @receiver
          (type_identifier) @reference.base
          .)
        (generic_type
          .
          [
            (type_identifier) @reference.base
            (scoped_type_identifier
              (_) @receiver
              (type_identifier) @reference.base
              .)
          ])
        (annotated_type
          [
            (type_identifier) @reference.base
            (scoped_type_identifier
              (_) @receiver
              (type_identifier) @reference.base
              .)
            (generic_type
              .
              [
                (type_identifier) @reference.base
                (scoped_type_identifier
                  (_) @receiver
                  (type_identifier) @reference.base
                  .)
              ])
          ])
      ]))
  (extends_interfaces
    (type_list
      [
        (type_identifier) @reference.base
        (scoped_type_identifier
          (_) @receiver
          (type_identifier) @reference.base
          .)
        (generic_type
          .
          [
            (type_identifier) @reference.base
            (scoped_type_identifier
              (_) @receiver
              (type_identifier) @reference.base
              .)
          ])
        (annotated_type
          [
            (type_identifier) @reference.base
            (scoped_type_identifier
              (_) @receiver
              (type_identifier) @reference.base
              .)
            (generic_type
              .
              [
                (type_identifier) @reference.base
                (scoped_type_identifier
                  (_) @receiver
                  (type_identifier) @reference.base
                  .)
              ])
          ])
      ]))
]

; An anonymous class is a subclass of what it creates.
(object_creation_expression
  type: [
    (type_identifier) @reference.base
    (scoped_type_identifier
      (_) @receiver
      (type_identifier) @reference.base
      .)
    (generic_type
      .
      [
        (type_identifier) @reference.base
        (scoped_type_identifier
          (_) @receiver
          (type_identifier) @reference.base
          .)
      ])
  ]
  (class_body))

(object_creation_expression
  type: [
    (type_identifier) @reference.call
    (scoped_type_identifier
      (_) @receiver
      (type_identifier) @reference.call
      .)
    (generic_type
      .
      [
        (type_identifier) @reference.call
        (scoped_type_identifier
          (_) @receiver
          (type_identifier) @reference.call
          .)
      ])
  ])

(method_reference
  .
  [
    (identifier) @reference.call
    (type_identifier) @reference.call
    (scoped_type_identifier
      (_) @receiver
      (type_identifier) @reference.call
      .)
    (generic_type
      .
      [
        (type_identifier) @reference.call
        (scoped_type_identifier
          (_) @receiver
          (type_identifier) @reference.call
          .)
      ])
  ]
  "new")

[
  (annotation
    name: [
      (identifier) @reference.type
      (scoped_identifier
        scope: (_) @receiver
        name: (identifier) @reference.type)
    ])
  (marker_annotation
    name: [
      (identifier) @reference.type
      (scoped_identifier
        scope: (_) @receiver
        name: (identifier) @reference.type)
    ])
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
  type: (scoped_identifier
    scope: (_) @receiver
    name: (identifier) @reference.type))

(provides_module_directive
  (scoped_identifier
    scope: (_) @receiver
    name: (identifier) @reference.type))

; Bindings. What has a primitive type or is an array has no members that anybody declares.

(method_declaration
  type: [
    (generic_type)
    (scoped_type_identifier)
    (type_identifier)
  ] @binding.type
  name: (identifier) @binding)

(annotation_type_element_declaration
  type: [
    (generic_type)
    (scoped_type_identifier)
    (type_identifier)
  ] @binding.type
  name: (identifier) @binding)

(formal_parameter
  type: [
    (generic_type)
    (scoped_type_identifier)
    (type_identifier)
  ] @binding.type
  name: (identifier) @binding)

(field_declaration
  type: [
    (generic_type)
    (scoped_type_identifier)
    (type_identifier)
  ] @binding.type
  declarator: (variable_declarator
    name: (identifier) @binding))

(constant_declaration
  type: [
    (generic_type)
    (scoped_type_identifier)
    (type_identifier)
  ] @binding.type
  declarator: (variable_declarator
    name: (identifier) @binding))

(local_variable_declaration
  type: [
    (generic_type)
    (scoped_type_identifier)
    (type_identifier)
  ] @binding.type
  declarator: (variable_declarator
    name: (identifier) @binding)
  (#not-eq? @binding.type "var"))

(local_variable_declaration
  type: (type_identifier) @_var
  declarator: (variable_declarator
    name: (identifier) @binding
    value: [
      (object_creation_expression
        type: (_) @binding.type)
      (method_invocation
        object: (_)? @binding.call
        name: (identifier) @binding.call)
      (cast_expression
        type: (_) @binding.type)
    ])
  (#eq? @_var "var"))

(enhanced_for_statement
  type: [
    (generic_type)
    (scoped_type_identifier)
    (type_identifier)
  ] @binding.type
  name: (identifier) @binding
  (#not-eq? @binding.type "var"))

(resource
  type: [
    (generic_type)
    (scoped_type_identifier)
    (type_identifier)
  ] @binding.type
  name: (identifier) @binding
  (#not-eq? @binding.type "var"))

(resource
  type: (type_identifier) @_var
  name: (identifier) @binding
  value: [
    (object_creation_expression
      type: (_) @binding.type)
    (method_invocation
      object: (_)? @binding.call
      name: (identifier) @binding.call)
  ]
  (#eq? @_var "var"))

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
  right: [
    (generic_type)
    (scoped_type_identifier)
    (type_identifier)
  ] @binding.type
  name: (identifier) @binding)

(type_pattern
  .
  [
    (generic_type)
    (scoped_type_identifier)
    (type_identifier)
  ] @binding.type
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
