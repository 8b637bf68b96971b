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

; What a type in an initialiser, a parameter, a result or a constraint declares is no symbol. A type
; that is only a name declares nothing.
(var_spec
  value: (expression_list) @local)

; One pattern for each: a query compares all the ways to go on with one pattern, pair by pair.
(parameter_declaration
  type: (array_type) @local)

(parameter_declaration
  type: (channel_type) @local)

(parameter_declaration
  type: (function_type) @local)

(parameter_declaration
  type: (generic_type) @local)

(parameter_declaration
  type: (interface_type) @local)

(parameter_declaration
  type: (map_type) @local)

(parameter_declaration
  type: (parenthesized_type) @local)

(parameter_declaration
  type: (slice_type) @local)

(parameter_declaration
  type: (struct_type) @local)

(parameter_declaration
  type: (pointer_type
    (array_type)) @local)

(parameter_declaration
  type: (pointer_type
    (function_type)) @local)

(parameter_declaration
  type: (pointer_type
    (generic_type)) @local)

(parameter_declaration
  type: (pointer_type
    (interface_type)) @local)

(parameter_declaration
  type: (pointer_type
    (map_type)) @local)

(parameter_declaration
  type: (pointer_type
    (parenthesized_type)) @local)

(parameter_declaration
  type: (pointer_type
    (pointer_type)) @local)

(parameter_declaration
  type: (pointer_type
    (slice_type)) @local)

(parameter_declaration
  type: (pointer_type
    (struct_type)) @local)

(variadic_parameter_declaration) @local

(type_parameter_list) @local

(_
  result: [
    (array_type)
    (channel_type)
    (function_type)
    (generic_type)
    (interface_type)
    (map_type)
    (parenthesized_type)
    (pointer_type)
    (slice_type)
    (struct_type)
  ] @local)

(func_literal) @local

; A type inside would keep the whole literal in the signatures.
(func_literal
  body: (block
    (statement_list
      (type_declaration))) @body)

; References

; Only a call has a function. A pattern that starts below the call is tried where it can match alone.
(_
  function: (identifier) @reference.call)

(_
  function: (selector_expression
    operand: (_) @receiver
    field: (field_identifier) @reference.call))

(_
  function: (index_expression
    operand: (identifier) @reference.call))

(_
  function: (index_expression
    operand: (selector_expression
      operand: (_) @receiver
      field: (field_identifier) @reference.call)))

(_
  function: (parenthesized_expression
    (identifier) @reference.call))

(_
  function: (parenthesized_expression
    (selector_expression
      operand: (_) @receiver
      field: (field_identifier) @reference.call)))

; `(*T)(nil)`
(_
  function: (parenthesized_expression
    (unary_expression
      operator: "*"
      operand: [
        (identifier) @reference.type
        (selector_expression
          operand: (identifier) @receiver
          field: (field_identifier) @reference.type)
      ])))

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

; Wherever a type stands but where it is declared or qualified
(_
  type: (type_identifier) @reference.type)

(_
  result: (type_identifier) @reference.type)

(_
  element: (type_identifier) @reference.type)

(_
  key: (type_identifier) @reference.type)

(_
  value: (type_identifier) @reference.type)

(pointer_type
  (type_identifier) @reference.type)

((type_elem
  (type_identifier) @reference.type)
  (#not-eq? @reference.type "_"))

(type_constraint
  (type_identifier) @reference.type)

(negated_type
  (type_identifier) @reference.type)

(parenthesized_type
  (type_identifier) @reference.type)

; `new(T)`
(argument_list
  .
  (type_identifier) @reference.type)

; Names whose type is plain

(parameter_declaration
  name: (identifier) @binding
  type: (_) @binding.type)

(field_declaration
  name: (field_identifier) @binding
  type: (_) @binding.type)

; Of several results the first
(function_declaration
  name: (identifier) @binding
  result: [
    (generic_type)
    (pointer_type)
    (qualified_type)
    (type_identifier)
  ] @binding.type)

(function_declaration
  name: (identifier) @binding
  result: (parameter_list
    .
    (parameter_declaration
      type: (_) @binding.type)))

(method_declaration
  name: (field_identifier) @binding
  result: [
    (generic_type)
    (pointer_type)
    (qualified_type)
    (type_identifier)
  ] @binding.type)

(method_declaration
  name: (field_identifier) @binding
  result: (parameter_list
    .
    (parameter_declaration
      type: (_) @binding.type)))

(method_elem
  name: (field_identifier) @binding
  result: [
    (generic_type)
    (pointer_type)
    (qualified_type)
    (type_identifier)
  ] @binding.type)

(method_elem
  name: (field_identifier) @binding
  result: (parameter_list
    .
    (parameter_declaration
      type: (_) @binding.type)))

(var_spec
  name: (identifier) @binding
  type: (_) @binding.type)

(var_spec
  .
  name: (identifier) @binding
  value: (expression_list
    .
    (call_expression
      function: (_) @binding.call)))

(var_spec
  .
  name: (identifier) @binding
  value: (expression_list
    .
    (composite_literal
      type: (_) @binding.type)))

(var_spec
  .
  name: (identifier) @binding
  value: (expression_list
    .
    (unary_expression
      operand: (composite_literal
        type: (_) @binding.type))))

(short_var_declaration
  left: (expression_list
    .
    (identifier) @binding)
  right: (expression_list
    .
    (call_expression
      function: (_) @binding.call)))

(short_var_declaration
  left: (expression_list
    .
    (identifier) @binding)
  right: (expression_list
    .
    (composite_literal
      type: (_) @binding.type)))

(short_var_declaration
  left: (expression_list
    .
    (identifier) @binding)
  right: (expression_list
    .
    (unary_expression
      operand: (composite_literal
        type: (_) @binding.type))))

(short_var_declaration
  left: (expression_list
    .
    (identifier) @binding)
  right: (expression_list
    .
    (type_assertion_expression
      type: (_) @binding.type)))

; What others know the file by

(package_clause
  (package_identifier) @package)

; Imports

(import_declaration
  (import_spec
    name: (_)? @import.alias
    path: (_) @import.module)) @import

(import_spec_list
  (import_spec
    name: (_)? @import.alias
    path: (_) @import.module) @import)
