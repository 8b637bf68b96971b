; Declarations

(type_spec
  name: (type_identifier) @name
  type: (struct_type
    (field_declaration_list) @body)) @definition.struct

(type_alias
  name: (type_identifier) @name
  type: (struct_type
    (field_declaration_list) @body)) @definition.struct

(type_spec
  name: (type_identifier) @name
  type: (interface_type
    "{" @body
    "}" @body)) @definition.interface

(type_alias
  name: (type_identifier) @name
  type: (interface_type
    "{" @body
    "}" @body)) @definition.interface

(type_spec
  name: (type_identifier) @name) @definition.type

(type_alias
  name: (type_identifier) @name) @definition.type

(field_declaration
  name: (field_identifier) @name) @definition.field

(field_declaration
  !name
  type: [
    (type_identifier) @name
    (qualified_type
      name: (type_identifier) @name)
    (generic_type
      type: [
        (type_identifier) @name
        (qualified_type
          name: (type_identifier) @name)
      ])
  ]) @definition.field

; Not in a function, a parameter or an assertion: there an interface declares nothing.
(method_elem
  name: (field_identifier) @name
  (#set! local "drop")) @definition.method

(function_declaration
  name: (identifier) @name
  body: (block)? @body) @definition.function

(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (parenthesized_type
          (_) @container)
        (pointer_type
          (parenthesized_type
            (_) @container))
      ]))
  name: (field_identifier) @name
  body: (block)? @body) @definition.method

(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: (_) @container))
  name: (field_identifier) @name
  body: (block)? @body) @definition.method

(var_spec
  name: (identifier) @name
  value: (expression_list
    .
    (func_literal
      body: (block) @body)
    .)
  (#set! local "drop")) @definition.function

; A literal or a call of several lines keeps what it makes: `var x = Config{}`.
(var_spec
  name: (identifier) @name
  value: (expression_list
    .
    [
      (composite_literal
        body: (literal_value) @value)
      (unary_expression
        operand: (composite_literal
          body: (literal_value) @value))
    ]
    .)
  (#set! placeholder "{}")) @definition.variable

(var_spec
  name: (identifier) @name
  value: (expression_list
    .
    (call_expression
      function: [
        (identifier)
        (selector_expression
          operand: (identifier))
      ]
      arguments: (argument_list) @value)
    .)
  (#set! placeholder "()")) @definition.variable

(var_spec
  name: (identifier) @name
  value: (expression_list)? @value) @definition.variable

; Without the field `name`: the grammar gives it to the commas too, and then only the first matches.
(const_spec
  (identifier) @name
  value: (expression_list)? @value) @definition.constant

; What stands around declarations

; The keyword belongs to its one declaration, unless the group has parentheses.
((type_declaration
  [
    (type_spec)
    (type_alias)
  ] @wrapped) @wrapper
  (#not-match? @wrapper "^type\\s*\\("))

((const_declaration
  (const_spec) @wrapped) @wrapper
  (#not-match? @wrapper "^const\\s*\\("))

(var_declaration
  (var_spec) @wrapped) @wrapper

(comment) @comment

; What a type in an initialiser, a parameter, a result or a constraint declares is no symbol.
(var_spec
  value: (expression_list) @local)

(parameter_list) @local

(type_parameter_list) @local

(_
  result: (_) @local)

(func_literal) @local

; A type inside would keep the whole literal in the signatures.
(func_literal
  body: (block
    (statement_list
      (type_declaration))) @body)

; References

(call_expression
  function: [
    (identifier) @reference.call
    (selector_expression
      operand: (_) @receiver
      field: (field_identifier) @reference.call)
    (index_expression
      operand: (identifier) @reference.call)
    (index_expression
      operand: (selector_expression
        operand: (_) @receiver
        field: (field_identifier) @reference.call))
    (parenthesized_expression
      (identifier) @reference.call)
    (parenthesized_expression
      (selector_expression
        operand: (_) @receiver
        field: (field_identifier) @reference.call))
  ])

; `F[int](x)` may call or convert; the tree cannot tell.
(type_conversion_expression
  type: (generic_type
    type: [
      (type_identifier) @reference.call
      (qualified_type
        package: (package_identifier) @receiver
        name: (type_identifier) @reference.call)
    ]))

(field_declaration
  !name
  type: [
    (type_identifier) @reference.base
    (qualified_type
      package: (package_identifier) @receiver
      name: (type_identifier) @reference.base)
    (generic_type
      type: [
        (type_identifier) @reference.base
        (qualified_type
          package: (package_identifier) @receiver
          name: (type_identifier) @reference.base)
      ])
  ])

(interface_type
  (type_elem
    .
    [
      (type_identifier) @reference.base
      (qualified_type
        package: (package_identifier) @receiver
        name: (type_identifier) @reference.base)
      (generic_type
        type: [
          (type_identifier) @reference.base
          (qualified_type
            package: (package_identifier) @receiver
            name: (type_identifier) @reference.base)
        ])
    ]
    .))

(qualified_type
  package: (package_identifier) @receiver
  name: (type_identifier) @reference.type)

((type_identifier) @reference.type
  (#not-eq? @reference.type "_"))

; `(*T)(nil)`
(call_expression
  function: (parenthesized_expression
    (unary_expression
      operator: "*"
      operand: [
        (identifier) @reference.type
        (selector_expression
          operand: (identifier) @receiver
          field: (field_identifier) @reference.type)
      ])))

; Imports

(import_declaration
  (import_spec
    name: (_)? @import.alias
    path: (_) @import.module)) @import

(import_spec_list
  (import_spec
    name: (_)? @import.alias
    path: (_) @import.module) @import)
