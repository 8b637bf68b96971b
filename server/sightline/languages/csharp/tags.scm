; Declarations

(file_scoped_namespace_declaration
  name: (_) @name
  (#set! extent "rest")) @definition.module

(namespace_declaration
  name: (_) @name
  body: (declaration_list) @body) @definition.module

((class_declaration
  name: (identifier) @name
  body: (declaration_list)? @body) @definition.class
  (#not-eq? @name "___"))

(struct_declaration
  name: (identifier) @name
  body: (declaration_list)? @body) @definition.struct

(interface_declaration
  name: (identifier) @name
  body: (declaration_list)? @body) @definition.interface

; The positional parameters of a record are its properties.
(record_declaration
  (parameter_list
    (parameter
      name: (identifier) @name) @definition.property))

(record_declaration
  "struct"
  name: (identifier) @name
  body: (declaration_list)? @body) @definition.struct

(record_declaration
  name: (identifier) @name
  body: (declaration_list)? @body) @definition.class

(enum_declaration
  name: (identifier) @name
  body: (enum_member_declaration_list)? @body) @definition.enum

(enum_member_declaration
  name: (identifier) @name
  value: (_)? @value
  (#set! placeholder "0")) @definition.constant

(delegate_declaration
  name: (identifier) @name) @definition.type

; An expression body is taken with its semicolon, so that the placeholder is the same as for a block.

(method_declaration
  name: (identifier) @name
  body: (arrow_expression_clause) @body
  ";" @body) @definition.method

(method_declaration
  name: (identifier) @name
  body: (block)? @body) @definition.method

(constructor_declaration
  name: (identifier) @name
  body: (arrow_expression_clause) @body
  ";" @body) @definition.constructor

(constructor_declaration
  name: (identifier) @name
  body: (block)? @body) @definition.constructor

(destructor_declaration
  "~" @name
  name: (identifier) @name
  body: (arrow_expression_clause) @body
  ";" @body) @definition.method

(destructor_declaration
  "~" @name
  name: (identifier) @name
  body: (block)? @body) @definition.method

(operator_declaration
  operator: _ @name
  body: (arrow_expression_clause) @body
  ";" @body) @definition.method

(operator_declaration
  operator: _ @name
  body: (block)? @body) @definition.method

(conversion_operator_declaration
  type: [
    (generic_name
      (identifier) @name)
    (identifier) @name
    (qualified_name) @name
    (alias_qualified_name) @name
    (predefined_type) @name
    (nullable_type) @name
    (array_type) @name
    (pointer_type) @name
    (function_pointer_type) @name
    (tuple_type) @name
  ]
  body: (arrow_expression_clause) @body
  ";" @body) @definition.method

(conversion_operator_declaration
  type: [
    (generic_name
      (identifier) @name)
    (identifier) @name
    (qualified_name) @name
    (alias_qualified_name) @name
    (predefined_type) @name
    (nullable_type) @name
    (array_type) @name
    (pointer_type) @name
    (function_pointer_type) @name
    (tuple_type) @name
  ]
  body: (block)? @body) @definition.method

(local_function_statement
  name: (identifier) @name
  body: (arrow_expression_clause) @body
  ";" @body) @definition.function

(local_function_statement
  name: (identifier) @name
  body: (block)? @body) @definition.function

(property_declaration
  name: (identifier) @name
  value: (arrow_expression_clause) @body
  ";" @body
  (#set! placeholder "{ get; }")) @definition.property

(property_declaration
  name: (identifier) @name
  accessors: (accessor_list)
  value: (_)? @value) @definition.property

(indexer_declaration
  "this" @name
  value: (arrow_expression_clause) @body
  ";" @body
  (#set! placeholder "{ get; }")) @definition.property

(indexer_declaration
  "this" @name
  accessors: (accessor_list)) @definition.property

(event_declaration
  name: (identifier) @name) @definition.property

(event_field_declaration
  (variable_declaration
    (variable_declarator
      name: (identifier) @name
      ("="
        [
          (non_lvalue_expression)
          (lvalue_expression)
        ] @value)?))) @definition.field

(field_declaration
  (modifier
    "const")
  (variable_declaration
    (variable_declarator
      name: (identifier) @name
      ("="
        [
          (non_lvalue_expression)
          (lvalue_expression)
        ] @value)?))) @definition.constant

(field_declaration
  (variable_declaration
    (variable_declarator
      name: (identifier) @name
      ("="
        [
          (non_lvalue_expression)
          (lvalue_expression)
        ] @value)?))) @definition.field

; What stands around declarations

; A block of extension members is read as a class of this name.
((class_declaration
  name: (identifier) @_extension
  body: (declaration_list) @body
  (#set! members "yes")) @scope
  (#eq? @_extension "___"))

(accessor_declaration
  body: (block) @body)

(accessor_declaration
  body: (arrow_expression_clause) @body
  ";" @body)

(lambda_expression
  body: (block) @body)

(anonymous_method_expression
  (block) @body)

[
  (lambda_expression)
  (anonymous_method_expression)
] @local

[
  (attribute_list)
  (preproc_if_in_attribute_list)
] @decorator

(attribute_argument
  (preproc_if) @keep)

; Directives that declare nothing are passed over like comments: between a doc comment and its
; declaration, or between a header and its body.

[
  (comment)
  (preproc_pragma)
  (preproc_region)
  (preproc_endregion)
  (preproc_line)
  (preproc_warning)
  (preproc_error)
] @comment

; References

; `this` and `base` are no named nodes.
(invocation_expression
  function: [
    (identifier) @reference.call
    (generic_name
      (identifier) @reference.call)
    (member_access_expression
      expression: _ @receiver
      name: [
        (identifier) @reference.call
        (generic_name
          (identifier) @reference.call)
      ])
    (conditional_access_expression
      condition: (_) @receiver
      (member_binding_expression
        name: [
          (identifier) @reference.call
          (generic_name
            (identifier) @reference.call)
        ]))
  ])

(object_creation_expression
  type: [
    (identifier) @reference.call
    (generic_name
      (identifier) @reference.call)
    (qualified_name
      qualifier: (_) @receiver
      name: [
        (identifier) @reference.call
        (generic_name
          (identifier) @reference.call)
      ])
    (alias_qualified_name
      name: [
        (identifier) @reference.call
        (generic_name
          (identifier) @reference.call)
      ])
  ])

(base_list
  [
    (identifier) @reference.base
    (generic_name
      (identifier) @reference.base)
    (qualified_name
      qualifier: (_) @receiver
      name: [
        (identifier) @reference.base
        (generic_name
          (identifier) @reference.base)
      ])
    (alias_qualified_name
      name: [
        (identifier) @reference.base
        (generic_name
          (identifier) @reference.base)
      ])
  ])

(primary_constructor_base_type
  type: [
    (identifier) @reference.base
    (generic_name
      (identifier) @reference.base)
    (qualified_name
      qualifier: (_) @receiver
      name: [
        (identifier) @reference.base
        (generic_name
          (identifier) @reference.base)
      ])
  ])

; Wherever a type can stand.

(type/identifier) @reference.type

(type/generic_name
  (identifier) @reference.type)

(type/qualified_name
  qualifier: (_) @receiver
  name: [
    (identifier) @reference.type
    (generic_name
      (identifier) @reference.type)
  ])

(type/alias_qualified_name
  name: [
    (identifier) @reference.type
    (generic_name
      (identifier) @reference.type)
  ])

; These hold a type of which the tree does not say so.
[
  (array_type
    type: [
      (identifier) @reference.type
      (generic_name
        (identifier) @reference.type)
      (qualified_name
        qualifier: (_) @receiver
        name: [
          (identifier) @reference.type
          (generic_name
            (identifier) @reference.type)
        ])
    ])
  (nullable_type
    type: [
      (identifier) @reference.type
      (generic_name
        (identifier) @reference.type)
      (qualified_name
        qualifier: (_) @receiver
        name: [
          (identifier) @reference.type
          (generic_name
            (identifier) @reference.type)
        ])
    ])
  (pointer_type
    type: (identifier) @reference.type)
]

; `x is Foo` may name a constant as well; the tree does not say.

(constant_pattern
  [
    (identifier) @reference.type
    (generic_name
      (identifier) @reference.type)
  ])

(explicit_interface_specifier
  [
    (identifier) @reference.type
    (generic_name
      (identifier) @reference.type)
    (qualified_name
      qualifier: (_) @receiver
      name: [
        (identifier) @reference.type
        (generic_name
          (identifier) @reference.type)
      ])
  ])

(attribute
  name: [
    (identifier) @reference.type
    (generic_name
      (identifier) @reference.type)
    (qualified_name
      qualifier: (_) @receiver
      name: [
        (identifier) @reference.type
        (generic_name
          (identifier) @reference.type)
      ])
  ])

; A type in front of a static member that is not called; a call has it as its receiver. Only its
; case tells it from a variable.
([
  (argument
    (member_access_expression
      expression: (identifier) @reference.type))
  (arrow_expression_clause
    (member_access_expression
      expression: (identifier) @reference.type))
  (assignment_expression
    (member_access_expression
      expression: (identifier) @reference.type))
  (attribute_argument
    (member_access_expression
      expression: (identifier) @reference.type))
  (binary_expression
    (member_access_expression
      expression: (identifier) @reference.type))
  (conditional_expression
    (member_access_expression
      expression: (identifier) @reference.type))
  (constant_pattern
    (member_access_expression
      expression: (identifier) @reference.type))
  (return_statement
    (member_access_expression
      expression: (identifier) @reference.type))
  (switch_expression_arm
    (member_access_expression
      expression: (identifier) @reference.type))
  (variable_declarator
    (member_access_expression
      expression: (identifier) @reference.type))
]
  (#match? @reference.type "^[A-Z]"))

; Bindings. What has a predefined type or is an array has no members that anybody declares.

(method_declaration
  returns: [
    (alias_qualified_name)
    (generic_name)
    (identifier)
    (nullable_type)
    (qualified_name)
  ] @binding.type
  name: (identifier) @binding)

(local_function_statement
  type: [
    (alias_qualified_name)
    (generic_name)
    (identifier)
    (nullable_type)
    (qualified_name)
  ] @binding.type
  name: (identifier) @binding)

(property_declaration
  type: [
    (alias_qualified_name)
    (generic_name)
    (identifier)
    (nullable_type)
    (qualified_name)
  ] @binding.type
  name: (identifier) @binding)

(parameter
  type: [
    (alias_qualified_name)
    (generic_name)
    (identifier)
    (nullable_type)
    (qualified_name)
  ] @binding.type
  name: (identifier) @binding)

(variable_declaration
  type: [
    (alias_qualified_name)
    (generic_name)
    (identifier)
    (nullable_type)
    (qualified_name)
  ] @binding.type
  (variable_declarator
    name: (identifier) @binding))

(variable_declaration
  type: (implicit_type)
  (variable_declarator
    name: (identifier) @binding
    [
      (object_creation_expression
        type: (_) @binding.type)
      (invocation_expression
        function: [
          (generic_name)
          (identifier)
          (member_access_expression)
        ] @binding.call)
      (await_expression
        (invocation_expression
          function: [
            (generic_name)
            (identifier)
            (member_access_expression)
          ] @binding.call))
      (cast_expression
        type: (_) @binding.type)
      (as_expression
        right: (_) @binding.type)
    ]))

; What is read from another is as if it were called.
(variable_declaration
  type: (implicit_type)
  (variable_declarator
    name: (identifier) @binding
    (member_access_expression) @binding.call))

; Other variables hide what has their name, and nothing is known of them.

(variable_declaration
  type: (implicit_type) @binding.type
  (variable_declarator
    name: (identifier) @binding
    [
      (binary_expression)
      (conditional_access_expression)
      (conditional_expression)
      (element_access_expression)
      (identifier)
      (implicit_array_creation_expression)
      (query_expression)
      (switch_expression)
    ]))

(lambda_expression
  parameters: [
    (implicit_parameter) @binding
    (parameter_list
      (parameter
        !type
        name: (identifier) @binding))
  ]
  "=>" @binding.type)

(foreach_statement
  type: (implicit_type) @binding.type
  left: [
    (identifier) @binding
    (tuple_pattern
      name: (identifier) @binding)
  ])

(declaration_expression
  type: (implicit_type) @binding.type
  name: (identifier) @binding)

; A word stands for what an extension is called on.
(parameter
  (modifier) @binding
  type: [
    (alias_qualified_name)
    (generic_name)
    (identifier)
    (nullable_type)
    (qualified_name)
  ] @binding.type
  (#eq? @binding "this"))

(foreach_statement
  type: [
    (alias_qualified_name)
    (generic_name)
    (identifier)
    (nullable_type)
    (qualified_name)
  ] @binding.type
  left: (identifier) @binding)

(catch_declaration
  type: [
    (alias_qualified_name)
    (generic_name)
    (identifier)
    (nullable_type)
    (qualified_name)
  ] @binding.type
  name: (identifier) @binding)

(declaration_expression
  type: [
    (alias_qualified_name)
    (generic_name)
    (identifier)
    (nullable_type)
    (qualified_name)
  ] @binding.type
  name: (identifier) @binding)

(declaration_pattern
  type: [
    (alias_qualified_name)
    (generic_name)
    (identifier)
    (nullable_type)
    (qualified_name)
  ] @binding.type
  name: (identifier) @binding)

; Imports

(using_directive
  name: (identifier) @import.alias
  "="
  (_) @import.module) @import

(using_directive
  !name
  (_) @import.module) @import

(extern_alias_directive
  name: (identifier) @import.module) @import
