; Declarations

(file_scoped_namespace_declaration
  name: (_) @name
  (#set! extent "rest")) @definition.module

(namespace_declaration
  name: (_) @name
  body: (declaration_list) @body) @definition.module

(class_declaration
  name: (identifier) @name
  body: (declaration_list)? @body) @definition.class

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

(invocation_expression
  function: [
    (identifier) @reference.call
    (generic_name
      (identifier) @reference.call)
    (member_access_expression
      expression: (_) @receiver
      name: [
        (identifier) @reference.call
        (generic_name
          (identifier) @reference.call)
      ])
  ])

(invocation_expression
  function: (conditional_access_expression
    condition: (_) @receiver
    (member_binding_expression
      name: [
        (identifier) @reference.call
        (generic_name
          (identifier) @reference.call)
      ])))

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

; Every `type:` field holds a type: of a parameter, a cast, a `new`, a pattern.

(_
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
    (alias_qualified_name
      name: [
        (identifier) @reference.type
        (generic_name
          (identifier) @reference.type)
      ])
  ])

(_
  returns: [
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
    (alias_qualified_name
      name: [
        (identifier) @reference.type
        (generic_name
          (identifier) @reference.type)
      ])
  ])

(as_expression
  right: [
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

(is_expression
  right: [
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

; `x is Foo` may name a constant as well; the tree does not say.

(constant_pattern
  [
    (identifier) @reference.type
    (generic_name
      (identifier) @reference.type)
  ])

(type_argument_list
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
    (alias_qualified_name
      name: [
        (identifier) @reference.type
        (generic_name
          (identifier) @reference.type)
      ])
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
