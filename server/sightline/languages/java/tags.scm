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
          [
            (type_identifier) @reference.base
            (scoped_type_identifier
              (_) @receiver
              (type_identifier) @reference.base
              .)
          ])
      ])
  ])

(super_interfaces
  (type_list
    [
      (type_identifier) @reference.base
      (scoped_type_identifier
        (_) @receiver
        (type_identifier) @reference.base
        .)
      (generic_type
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
            [
              (type_identifier) @reference.base
              (scoped_type_identifier
                (_) @receiver
                (type_identifier) @reference.base
                .)
            ])
        ])
    ]))

; An anonymous class is a subclass of what it creates.
(object_creation_expression
  type: [
    (type_identifier) @reference.base
    (scoped_type_identifier
      (_) @receiver
      (type_identifier) @reference.base
      .)
    (generic_type
      [
        (type_identifier) @reference.base
        (scoped_type_identifier
          (_) @receiver
          (type_identifier) @reference.base
          .)
      ])
  ]
  (class_body))

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

(_
  type: (type_identifier) @reference.type
  (#not-eq? @reference.type "var"))

(_
  element: (type_identifier) @reference.type)

(instanceof_expression
  right: (type_identifier) @reference.type)

[
  (annotated_type
    (type_identifier) @reference.type)
  (catch_type
    (type_identifier) @reference.type)
  (class_literal
    (type_identifier) @reference.type)
  (generic_type
    (type_identifier) @reference.type)
  (method_reference
    (type_identifier) @reference.type)
  (permits
    (type_list
      (type_identifier) @reference.type))
  (receiver_parameter
    (type_identifier) @reference.type)
  (spread_parameter
    (type_identifier) @reference.type)
  (throws
    (type_identifier) @reference.type)
  (type_arguments
    (type_identifier) @reference.type)
  (type_bound
    (type_identifier) @reference.type)
  (type_pattern
    (type_identifier) @reference.type)
  (wildcard
    (type_identifier) @reference.type)
]

(record_pattern_component
  (type_identifier) @reference.type
  (#not-eq? @reference.type "var"))

(record_pattern
  .
  (identifier) @reference.type)

(method_reference
  .
  (identifier) @reference.type
  "new")

; The packages in front of a qualified name are written like types; only their case tells.
(scoped_type_identifier
  .
  (_) @receiver
  (type_identifier) @reference.type
  .
  (#match? @reference.type "^[^a-z]"))

(scoped_type_identifier
  .
  (type_identifier) @reference.type
  (#match? @reference.type "^[^a-z]"))

(uses_module_directive
  type: (scoped_identifier
    scope: (_) @receiver
    name: (identifier) @reference.type))

(provides_module_directive
  (scoped_identifier
    scope: (_) @receiver
    name: (identifier) @reference.type))

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
