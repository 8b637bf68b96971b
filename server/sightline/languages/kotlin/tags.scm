; Declarations

(class_declaration
  (modifiers
    (class_modifier
      "enum"))
  name: (identifier) @name
  [
    (class_body)
    (enum_class_body)
  ]? @body) @definition.enum

(class_declaration
  name: (identifier) @name
  (enum_class_body) @body) @definition.enum

(class_declaration
  "interface"
  name: (identifier) @name
  (class_body)? @body) @definition.interface

; The grammar takes the body of `class C : I by d { … }` for a lambda that `d` is called with.
(class_declaration
  name: (identifier) @name
  (delegation_specifiers
    (delegation_specifier
      (explicit_delegation
        (call_expression
          (annotated_lambda
            (lambda_literal) @body))))
    .)) @definition.class

(object_declaration
  name: (identifier) @name
  (delegation_specifiers
    (delegation_specifier
      (explicit_delegation
        (call_expression
          (annotated_lambda
            (lambda_literal) @body))))
    .)) @definition.class

(companion_object
  name: (identifier) @name
  (delegation_specifiers
    (delegation_specifier
      (explicit_delegation
        (call_expression
          (annotated_lambda
            (lambda_literal) @body))))
    .)) @definition.class

(companion_object
  "object" @name
  !name
  (delegation_specifiers
    (delegation_specifier
      (explicit_delegation
        (call_expression
          (annotated_lambda
            (lambda_literal) @body))))
    .)
  (#set! name "Companion")) @definition.class

(class_declaration
  "class"
  name: (identifier) @name
  (class_body)? @body) @definition.class

(object_declaration
  name: (identifier) @name
  (class_body)? @body) @definition.class

(companion_object
  name: (identifier) @name
  (class_body)? @body) @definition.class

(companion_object
  "object" @name
  !name
  (class_body)? @body
  (#set! name "Companion")) @definition.class

(enum_entry
  (identifier) @name
  (value_arguments)? @value
  (class_body)? @body
  (#set! members "yes")
  (#set! placeholder "()")) @definition.constant

(type_alias
  type: (identifier) @name) @definition.type

(secondary_constructor
  "constructor" @name
  (block)? @body) @definition.constructor

(function_declaration
  name: (identifier) @name
  (function_body
    "="
    (expression) @body)
  (#set! placeholder "TODO()")) @definition.function

(function_declaration
  name: (identifier) @name
  (function_body
    (block) @body)?) @definition.function

(class_parameter
  [
    "val"
    "var"
  ]
  .
  (identifier) @name
  (expression)? @value) @definition.property

(property_declaration
  (modifiers
    (property_modifier))
  (variable_declaration
    (identifier) @name)
  (expression)? @value) @definition.constant

(property_declaration
  (variable_declaration
    (identifier) @name)
  [
    (expression) @value
    (property_delegate
      (expression) @value)
  ]?) @definition.property

(property_declaration
  (multi_variable_declaration
    (variable_declaration
      (identifier) @name))
  (expression)? @value) @definition.property

; What stands around declarations

(object_literal
  (class_body) @body
  (#set! members "yes")) @scope

(explicit_delegation
  (call_expression
    (annotated_lambda
      (lambda_literal) @scope))
  (#set! members "yes"))

[
  (lambda_literal)
  (anonymous_function)
] @local

(anonymous_initializer
  (block) @body)

[
  (getter
    (function_body
      (block) @body))
  (setter
    (function_body
      (block) @body))
]

([
  (getter
    (function_body
      "="
      (expression) @body))
  (setter
    (function_body
      "="
      (expression) @body))
]
  (#set! placeholder "TODO()"))

(modifiers
  (annotation) @decorator)

; The grammar takes `@Name("value")` in front of a declaration for an expression of its own.
(annotated_expression
  [
    (parenthesized_expression)
    (annotated_expression
      (parenthesized_expression))
    (annotated_expression
      (annotated_expression
        (parenthesized_expression)))
  ]) @decorator

; So it does `context(parameter: Type)`, for a call.
((call_expression
  .
  (identifier) @_context
  (value_arguments)) @decorator
  (#eq? @_context "context"))

[
  (line_comment)
  (block_comment)
] @comment

; No word is reserved, so a declaration behind annotations can be taken for an infix expression.
(infix_expression
  (identifier) @error
  (#any-of? @error "class" "fun" "interface" "object" "typealias" "val" "var"))

; References

(call_expression
  .
  [
    (identifier) @reference.call
    (navigation_expression
      .
      (_) @receiver
      (identifier) @reference.call
      .)
  ])

; The grammar takes `call<Type>(value)` for two comparisons.
(binary_expression
  left: (binary_expression
    left: [
      (identifier) @reference.call
      (navigation_expression
        .
        (_) @receiver
        (identifier) @reference.call
        .)
    ]
    "<"
    right: (identifier))
  ">"
  right: (parenthesized_expression))

(binary_expression
  left: (binary_expression
    "<"
    right: (identifier) @reference.type)
  ">"
  right: (parenthesized_expression))

(infix_expression
  .
  (_) @receiver
  .
  (identifier) @reference.call)

(callable_reference
  "::"
  (identifier) @reference.call)

(navigation_expression
  .
  (_) @receiver
  .
  "::"
  .
  (identifier) @reference.call
  (#not-eq? @reference.call "class"))

(navigation_expression
  .
  (identifier) @reference.type
  .
  "::"
  .
  (identifier) @_class
  (#eq? @_class "class")
  (#match? @reference.type "^[^a-z]"))

; A type of two parts is one inside another; one of more parts begins with its package.
(delegation_specifier
  [
    (user_type
      .
      (identifier) @receiver
      .
      (identifier) @reference.base
      .)
    (user_type
      .
      (identifier) @receiver
      .
      (identifier) @reference.base
      .
      (type_arguments)
      .)
    (constructor_invocation
      [
        (user_type
          .
          (identifier) @receiver
          .
          (identifier) @reference.base
          .)
        (user_type
          .
          (identifier) @receiver
          .
          (identifier) @reference.base
          .
          (type_arguments)
          .)
      ])
    (explicit_delegation
      [
        (user_type
          .
          (identifier) @receiver
          .
          (identifier) @reference.base
          .)
        (user_type
          .
          (identifier) @receiver
          .
          (identifier) @reference.base
          .
          (type_arguments)
          .)
      ])
  ])

(delegation_specifier
  [
    (user_type
      (identifier) @reference.base
      .)
    (user_type
      (identifier) @reference.base
      .
      (type_arguments)
      .)
    (constructor_invocation
      [
        (user_type
          (identifier) @reference.base
          .)
        (user_type
          (identifier) @reference.base
          .
          (type_arguments)
          .)
      ])
    (explicit_delegation
      [
        (user_type
          (identifier) @reference.base
          .)
        (user_type
          (identifier) @reference.base
          .
          (type_arguments)
          .)
      ])
  ])

[
  (user_type
    .
    (identifier) @receiver
    .
    (identifier) @reference.type
    .)
  (user_type
    .
    (identifier) @receiver
    .
    (identifier) @reference.type
    .
    (type_arguments)
    .)
]

[
  (user_type
    (identifier) @reference.type
    .)
  (user_type
    (identifier) @reference.type
    .
    (type_arguments)
    .)
]

; The packages in front of a qualified name are written like types; only their case tells.
(user_type
  (identifier) @reference.type
  .
  (type_arguments)?
  .
  (identifier)
  (#match? @reference.type "^[^a-z]"))

; So does that of a type in front of what is not called; a call has it as its receiver.
([
  (assignment
    (navigation_expression
      .
      (identifier) @reference.type))
  (binary_expression
    (navigation_expression
      .
      (identifier) @reference.type))
  (property_declaration
    (navigation_expression
      .
      (identifier) @reference.type))
  (return_expression
    (navigation_expression
      .
      (identifier) @reference.type))
  (value_argument
    (navigation_expression
      .
      (identifier) @reference.type))
  (when_entry
    (navigation_expression
      .
      (identifier) @reference.type))
]
  (#match? @reference.type "^[A-Z]"))

; Bindings

(function_declaration
  name: (identifier) @binding
  (function_value_parameters)
  .
  [
    (nullable_type)
    (user_type)
  ] @binding.type)

(function_declaration
  name: (identifier) @binding
  (function_value_parameters)
  .
  (function_body
    "="
    .
    (call_expression
      .
      [
        (identifier)
        (navigation_expression)
      ] @binding.call)))

(class_parameter
  (identifier) @binding
  .
  [
    (nullable_type)
    (user_type)
  ] @binding.type)

(parameter
  (identifier) @binding
  .
  [
    (nullable_type)
    (user_type)
  ] @binding.type)

(variable_declaration
  (identifier) @binding
  .
  [
    (nullable_type)
    (user_type)
  ] @binding.type)

(property_declaration
  (variable_declaration
    (identifier) @binding
    .)
  [
    (call_expression
      .
      [
        (identifier)
        (navigation_expression)
      ] @binding.call)
    (binary_expression
      left: (binary_expression
        left: [
          (identifier)
          (navigation_expression)
        ] @binding.call
        "<"
        right: (identifier))
      ">"
      right: (parenthesized_expression))
    (as_expression
      right: [
        (nullable_type)
        (user_type)
      ] @binding.type)
  ])

; What is read from another is as if it were called.
(property_declaration
  (variable_declaration
    (identifier) @binding
    .)
  "="
  .
  (navigation_expression) @binding.call)

; Other variables hide what has their name, and nothing is known of them.

(property_declaration
  (variable_declaration
    (identifier) @binding
    .)
  "=" @binding.type
  .
  [
    (identifier)
    (if_expression)
    (index_expression)
    (lambda_literal)
    (object_literal)
    (try_expression)
    (unary_expression)
    (when_expression)
  ])

(property_declaration
  (variable_declaration
    (identifier) @binding
    .)
  "="
  .
  (binary_expression
    "?:" @binding.type))

(lambda_literal
  (lambda_parameters
    [
      (variable_declaration
        (identifier) @binding
        .)
      (multi_variable_declaration
        (variable_declaration
          (identifier) @binding
          .))
    ])
  "->" @binding.type)

(for_statement
  [
    (variable_declaration
      (identifier) @binding
      .)
    (multi_variable_declaration
      (variable_declaration
        (identifier) @binding
        .))
  ]
  "in" @binding.type)

(parameter
  (identifier) @binding
  .
  (function_type) @binding.type)

(catch_block
  (identifier) @binding
  .
  (user_type) @binding.type)

; The dot stands for what an extension is called on.

(function_declaration
  [
    (nullable_type)
    (user_type)
  ] @binding.type
  .
  "." @binding
  .
  name: (identifier))

(property_declaration
  [
    (nullable_type)
    (user_type)
  ] @binding.type
  .
  "." @binding
  .
  (variable_declaration))

(type_alias
  type: (identifier) @binding
  (user_type) @binding.type)

(package_header
  (qualified_identifier) @package)

; Imports

; From the first part to the one before the last is the module.
((import
  (qualified_identifier
    .
    (identifier) @import.module
    (identifier) @import.module
    .
    (identifier) @import.name
    .)
  .
  (identifier)? @import.alias) @import
  (#not-match? @import "[*]"))

((import
  (qualified_identifier
    .
    (identifier) @import.module
    .
    (identifier) @import.name
    .)
  .
  (identifier)? @import.alias) @import
  (#not-match? @import "[*]"))

((import
  (qualified_identifier
    .
    (identifier) @import.name
    .)
  .
  (identifier)? @import.alias) @import
  (#not-match? @import "[*]"))

(import
  (qualified_identifier) @import.module
  "*" @import.name) @import
