; Declarations

(file_scoped_namespace_declaration
  name: (_) @name
  (#set! extent "rest")) @definition.module

(namespace_declaration
  name: (_) @name
  body: (declaration_list) @body) @definition.module

(define.named_type
  name: (identifier) @name
  body: (declaration_list)? @body)

((class_declaration
  (use.named_type)) @definition.class
  (#not-eq? @name "___"))

(struct_declaration
  (use.named_type)) @definition.struct

(interface_declaration
  (use.named_type)) @definition.interface

; The positional parameters of a record are its properties.
(record_declaration
  (parameter_list
    (parameter
      name: (identifier) @name) @definition.property))

(record_declaration
  "struct"
  (use.named_type)) @definition.struct

(record_declaration
  (use.named_type)) @definition.class

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
(define.arrow_body
  body: (arrow_expression_clause) @body
  ";" @body)

(method_declaration
  name: (identifier) @name
  (use.arrow_body)) @definition.method

(method_declaration
  name: (identifier) @name
  body: (block)? @body) @definition.method

(constructor_declaration
  name: (identifier) @name
  (use.arrow_body)) @definition.constructor

(constructor_declaration
  name: (identifier) @name
  body: (block)? @body) @definition.constructor

(destructor_declaration
  "~" @name
  name: (identifier) @name
  (use.arrow_body)) @definition.method

(destructor_declaration
  "~" @name
  name: (identifier) @name
  body: (block)? @body) @definition.method

(operator_declaration
  operator: _ @name
  (use.arrow_body)) @definition.method

(operator_declaration
  operator: _ @name
  body: (block)? @body) @definition.method

(define.converted_type
  [
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
  ])

(conversion_operator_declaration
  type: (use.converted_type)
  (use.arrow_body)) @definition.method

(conversion_operator_declaration
  type: (use.converted_type)
  body: (block)? @body) @definition.method

(local_function_statement
  name: (identifier) @name
  (use.arrow_body)) @definition.function

(local_function_statement
  name: (identifier) @name
  body: (block)? @body) @definition.function

(define.arrow_getter
  value: (arrow_expression_clause) @body
  ";" @body
  (#set! placeholder "{ get; }"))

(property_declaration
  name: (identifier) @name
  (use.arrow_getter)) @definition.property

(property_declaration
  name: (identifier) @name
  accessors: (accessor_list)
  value: (_)? @value) @definition.property

(indexer_declaration
  "this" @name
  (use.arrow_getter)) @definition.property

(indexer_declaration
  "this" @name
  accessors: (accessor_list)) @definition.property

(event_declaration
  name: (identifier) @name) @definition.property

(define.fields
  (variable_declaration
    (variable_declarator
      name: (identifier) @name
      ("="
        [
          (non_lvalue_expression)
          (lvalue_expression)
        ] @value)?)))

(event_field_declaration
  (use.fields)) @definition.field

(field_declaration
  (modifier
    "const")
  (use.fields)) @definition.constant

(field_declaration
  (use.fields)) @definition.field

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
  (use.arrow_body))

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

; With type arguments or without
(define.simple_name
  [
    (argument.1)
    (generic_name
      (argument.1))
  ])

(define.qualified_name
  qualifier: (_) @receiver
  name: (use.simple_name (argument.1)))

(define.type_name
  [
    (use.simple_name (argument.1))
    (qualified_name
      (use.qualified_name (argument.1)))
  ])

(define.alias_name
  (alias_qualified_name
    name: (use.simple_name (argument.1))))

; `this` and `base` are no named nodes.
(invocation_expression
  function: [
    (use.simple_name (identifier) @reference.call)
    (member_access_expression
      expression: _ @receiver
      name: (use.simple_name (identifier) @reference.call))
    (conditional_access_expression
      condition: (_) @receiver
      (member_binding_expression
        name: (use.simple_name (identifier) @reference.call)))
  ]
  arguments: (argument_list) @arguments)

(object_creation_expression
  type: [
    (use.type_name (identifier) @reference.call)
    (use.alias_name (identifier) @reference.call)
  ]
  arguments: (argument_list)? @arguments)

(base_list
  [
    (use.type_name (identifier) @reference.base)
    (use.alias_name (identifier) @reference.base)
  ])

(primary_constructor_base_type
  type: (use.type_name (identifier) @reference.base))

; Wherever a type can stand.

(type/identifier) @reference.type

(type/generic_name
  (identifier) @reference.type)

(type/qualified_name
  (use.qualified_name (identifier) @reference.type))

(type/alias_qualified_name
  name: (use.simple_name (identifier) @reference.type))

; These hold a type of which the tree does not say so.
[
  (array_type
    type: (use.type_name (identifier) @reference.type))
  (nullable_type
    type: (use.type_name (identifier) @reference.type))
  (pointer_type
    type: (identifier) @reference.type)
]

; `x is Foo` may name a constant as well; the tree does not say.

(constant_pattern
  (use.simple_name (identifier) @reference.type))

(explicit_interface_specifier
  (use.type_name (identifier) @reference.type))

(attribute
  name: (use.type_name (identifier) @reference.type))

(define.read_of_type
  (member_access_expression
    expression: (identifier) @reference.type))

; A type in front of a static member that is not called; a call has it as its receiver. Only its
; case tells it from a variable.
([
  (argument
    (use.read_of_type))
  (arrow_expression_clause
    (use.read_of_type))
  (assignment_expression
    (use.read_of_type))
  (attribute_argument
    (use.read_of_type))
  (binary_expression
    (use.read_of_type))
  (conditional_expression
    (use.read_of_type))
  (constant_pattern
    (use.read_of_type))
  (return_statement
    (use.read_of_type))
  (switch_expression_arm
    (use.read_of_type))
  (variable_declarator
    (use.read_of_type))
]
  (#match? @reference.type "^[A-Z]"))

; Bindings. What has a predefined type or is an array has no members that anybody declares.

(define.declared_type
  [
    (array_type)
    (alias_qualified_name)
    (generic_name)
    (identifier)
    (nullable_type)
    (qualified_name)
  ])

(define.typed_name
  type: (use.declared_type) @binding.type
  name: (identifier) @binding)

(define.call
  (invocation_expression
    function: [
      (generic_name)
      (identifier)
      (member_access_expression)
    ] @binding.call))

(method_declaration
  returns: (use.declared_type) @binding.type
    name: (identifier) @binding)

(local_function_statement
  (use.typed_name))

(property_declaration
  (use.typed_name))

(parameter
  (use.typed_name))

(variable_declaration
  type: (use.declared_type) @binding.type
  (variable_declarator
    name: (identifier) @binding))

(variable_declaration
  type: (implicit_type)
  (variable_declarator
    name: (identifier) @binding
    [
      (object_creation_expression
        type: (_) @binding.type)
      (use.call)
      (await_expression
        (use.call))
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

(variable_declaration
  type: (implicit_type)
  (variable_declarator
    name: (identifier) @binding
    [
      (element_access_expression)
      (identifier)
    ] @binding.value))

(foreach_statement
  type: (implicit_type)
  left: (identifier) @binding
  right: (_) @binding.element)

(invocation_expression
  function: (member_access_expression
    expression: (_) @binding.element)
  arguments: (argument_list
    (argument
      (lambda_expression
        parameters: [
          (implicit_parameter) @binding
          (parameter_list
            .
            (parameter
              !type
              name: (identifier) @binding)
            .)
        ]))))

; What variables do not leave. Methods are declarations, and a loop ends with its block.

[
  (catch_clause)
  (for_statement)
  (foreach_statement)
  (lambda_expression)
  (switch_section)
  (using_statement)
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

; A lambda: the only node with parameters and an arrow. To name it takes longer to compile.
(_
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
  type: (use.declared_type) @binding.type
  (#eq? @binding "this"))

(foreach_statement
  type: (use.declared_type) @binding.type
  left: (identifier) @binding)

(catch_declaration
  (use.typed_name))

(declaration_expression
  (use.typed_name))

(declaration_pattern
  (use.typed_name))

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
