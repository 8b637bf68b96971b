; Parts

; A type that is declared, under a new name or as an alias
(define.declared_type
  [
    (type_spec
      name: (type_identifier) @name
      type: (argument.1))
    (type_alias
      name: (type_identifier) @name
      type: (argument.1))
  ])

; A parameter of a type or of a pointer to it. One pattern for each: a query compares all the ways to
; go on with one pattern, pair by pair.
(define.local_parameter
  (parameter_declaration
    type: (argument.1) @local)

  (parameter_declaration
    type: (pointer_type
      (argument.1)) @local))

; `a.f`
(define.selected_call
  (selector_expression
    operand: (_) @receiver
    field: (field_identifier) @reference.call))

; `T` or `a.T`
(define.type_name
  [
    (argument.1)
    (qualified_type
      package: (package_identifier) @receiver
      name: (argument.1))
  ])

; `T` or `a.T`, with or without type arguments
(define.base
  [
    (use.type_name (type_identifier) @reference.base)
    (generic_type
      type: (use.type_name (type_identifier) @reference.base))
  ])

; The type of a result, or of several
(define.result
  [
    (array_type)
    (channel_type)
    (function_type)
    (generic_type)
    (map_type)
    (parameter_list)
    (pointer_type)
    (qualified_type)
    (slice_type)
    (type_identifier)
  ] @binding.type)

; `var name = …` and `name := …`; of several names the first
(define.variable_with_value
  (var_spec
    .
    name: (identifier) @binding
    value: (expression_list
      .
      (argument.1)) @binding.initializer)

  (short_var_declaration
    left: (expression_list
      .
      (identifier) @binding)
    right: (expression_list
      .
      (argument.1)) @binding.initializer))

; `new(T)`
(define.made_of_type
  (call_expression
    function: (identifier) @_maker
    arguments: (argument_list
      .
      (_) @binding.type)))

; Declarations

(use.declared_type
  (struct_type
    (field_declaration_list) @body)) @definition.struct

(use.declared_type
  (interface_type
    "{" @body
    "}" @body)) @definition.interface

(use.declared_type (_)) @definition.type

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

(use.local_parameter (array_type))

(use.local_parameter (function_type))

(use.local_parameter (generic_type))

(use.local_parameter (interface_type))

(use.local_parameter (map_type))

(use.local_parameter (parenthesized_type))

(use.local_parameter (slice_type))

(use.local_parameter (struct_type))

(parameter_declaration
  type: (channel_type) @local)

(parameter_declaration
  type: (pointer_type
    (pointer_type)) @local)

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
  function: (use.selected_call))

(_
  function: (index_expression
    operand: (identifier) @reference.call))

(_
  function: (index_expression
    operand: (use.selected_call)))

(_
  function: (parenthesized_expression
    (identifier) @reference.call))

(_
  function: (parenthesized_expression
    (use.selected_call)))

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
    type: (use.type_name (type_identifier) @reference.call)))

(field_declaration
  !name
  type: (use.base))

(interface_type
  (type_elem
    .
    (use.base)
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

; Functions and methods that are named and not called

(define.value
  [
    (identifier)
    (selector_expression)
  ] @reference.value)

((argument_list
  (use.value))
  (#set! receiver "inside"))

((keyed_element
  value: (literal_element
    (use.value)))
  (#set! receiver "inside"))

((literal_value
  (literal_element
    (use.value)))
  (#set! receiver "inside"))

((_
  right: (expression_list
    (use.value)))
  (#set! receiver "inside"))

((var_spec
  value: (expression_list
    (use.value)))
  (#set! receiver "inside"))

((return_statement
  (expression_list
    (use.value)))
  (#set! receiver "inside"))

; Names whose type is plain

(parameter_declaration
  name: (identifier) @binding
  type: (_) @binding.type)

(field_declaration
  name: (field_identifier) @binding
  type: (_) @binding.type)

(function_declaration
  name: (identifier) @binding
  result: (use.result))

(method_declaration
  name: (field_identifier) @binding
  result: (use.result))

(method_elem
  name: (field_identifier) @binding
  result: (use.result))

(var_spec
  name: (identifier) @binding
  type: (_) @binding.type)

(const_spec
  (identifier) @binding
  type: (_) @binding.type)

; Another name for a type, which has its elements and its results
(type_spec
  name: (type_identifier) @binding
  type: [
    (array_type)
    (channel_type)
    (function_type)
    (map_type)
    (slice_type)
  ] @binding.type)

; An alias has the members of its type, too
(type_alias
  name: (type_identifier) @binding
  type: (_) @binding.type)

((var_spec
  .
  name: (identifier) @binding
  value: (expression_list
    .
    (use.made_of_type)) @binding.initializer)
  (#any-of? @_maker "make" "new"))

((short_var_declaration
  left: (expression_list
    .
    (identifier) @binding)
  right: (expression_list
    .
    (use.made_of_type)) @binding.initializer)
  (#any-of? @_maker "make" "new"))

(use.variable_with_value
  (call_expression
    function: (_) @binding.call))

(short_var_declaration
  left: (expression_list
    .
    (_)
    .
    (identifier) @binding)
  right: (expression_list
    .
    (call_expression
      function: (_) @binding.second)
    .) @binding.initializer)

(use.variable_with_value
  [
    (identifier)
    (index_expression)
    (selector_expression)
  ] @binding.value)

(use.variable_with_value
  (slice_expression
    operand: (_) @binding.value))

(use.variable_with_value
  (unary_expression
    operator: [
      "&"
      "*"
    ]
    operand: [
      (identifier)
      (index_expression)
      (selector_expression)
    ] @binding.value))

; `<-channel`
(use.variable_with_value
  (unary_expression
    operator: "<-"
    operand: (_) @binding.element))

(use.variable_with_value
  (composite_literal
    type: (_) @binding.type))

(use.variable_with_value
  (unary_expression
    operand: (composite_literal
      type: (_) @binding.type)))

; A function without a name, for what it gives
(use.variable_with_value
  (func_literal
    "func" @binding.type
    parameters: (_) @binding.type
    result: (_) @binding.type))

(use.variable_with_value
  (type_assertion_expression
    type: (_) @binding.type))

(range_clause
  left: (expression_list
    (_)
    .
    (identifier) @binding)
  right: (_) @binding.item)

; One name is that of an index, but of what a channel gives.
(type_switch_statement
  alias: (expression_list
    (identifier) @binding)
  (type_case
    .
    type: (_) @binding.type
    .
    ":") @binding.at)

(type_parameter_declaration
  name: (identifier) @binding
  type: (type_constraint
    .
    (_) @binding.bound
    .))

; What has no plain type is bound to itself: it hides what else has its name.
(short_var_declaration
  left: (expression_list
    (identifier) @binding)
  right: (_) @binding.initializer)

(range_clause
  left: (expression_list
    (identifier) @binding)
  right: (_) @binding.initializer)

(type_parameter_declaration
  name: (identifier) @binding @binding.bound)

(type_switch_statement
  alias: (expression_list
    (identifier) @binding))

; What variables do not leave. Functions are declarations, and a loop ends with its block.

[
  (communication_case)
  (default_case)
  (expression_case)
  (for_statement)
  (func_literal)
  (type_case)
  (type_switch_statement)
] @block

(if_statement
  initializer: (_)) @block

(expression_switch_statement
  initializer: (_)) @block

(block) @block

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
