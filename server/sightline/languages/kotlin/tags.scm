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
(define.delegated_body
  (delegation_specifiers
    (delegation_specifier
      (explicit_delegation
        (call_expression
          (annotated_lambda
            (lambda_literal) @body))))
    .))

(define.object_with
  (object_declaration
    name: (identifier) @name
    (argument.1)) @definition.class
  (companion_object
    name: (identifier) @name
    (argument.1)) @definition.class
  (companion_object
    "object" @name
    !name
    (argument.1)
    (#set! name "Companion")) @definition.class)

(class_declaration
  name: (identifier) @name
  (use.delegated_body)) @definition.class

(use.object_with (use.delegated_body))

(class_declaration
  "class"
  name: (identifier) @name
  (class_body)? @body) @definition.class

(use.object_with (class_body)? @body)

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

(define.accessor
  [
    (getter
      (argument.1))
    (setter
      (argument.1))
  ])

(use.accessor
  (function_body
    (block) @body))

((use.accessor
  (function_body
    "="
    (expression) @body))
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

(define.name_at_call
  [
    (identifier) @reference.call
    (navigation_expression
      .
      (_) @receiver
      (identifier) @reference.call
      .)
  ])

; The grammar takes `call<Type>(value)` for two comparisons. Only they are of that form: to name the
; outer one would take longer to compile.
(define.comparisons
  left: (binary_expression
    left: (argument.1)
    "<"
    right: (identifier))
  ">"
  right: (parenthesized_expression))

(call_expression
  .
  (use.name_at_call)
  (value_arguments)? @arguments
  (annotated_lambda)? @arguments)

; `call(value) { … }` is a call of a call.
(call_expression
  .
  (call_expression
    .
    (use.name_at_call)
    (value_arguments) @arguments)
  (annotated_lambda) @arguments)

(_
  (use.comparisons (use.name_at_call)))

(_
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

; The last part of a type
(define.type_name
  [
    (user_type
      (argument.1)
      .)
    (user_type
      (argument.1)
      .
      (type_arguments)
      .)
  ])

; A type of two parts is one inside another; one of more parts begins with its package.
(define.type_in_type
  [
    (user_type
      .
      (identifier) @receiver
      .
      (argument.1)
      .)
    (user_type
      .
      (identifier) @receiver
      .
      (argument.1)
      .
      (type_arguments)
      .)
  ])

(define.base_type
  (delegation_specifier
    [
      (argument.1)
      (constructor_invocation
        (argument.1))
      (explicit_delegation
        (argument.1))
    ]))

(use.base_type (use.type_in_type (identifier) @reference.base))

(use.base_type (use.type_name (identifier) @reference.base))

(use.type_in_type (identifier) @reference.type)

(use.type_name (identifier) @reference.type)

; The packages in front of a qualified name are written like types; only their case tells.
(user_type
  (identifier) @reference.type
  .
  (type_arguments)?
  .
  (identifier)
  (#match? @reference.type "^[^a-z]"))

(define.read_of_type
  (navigation_expression
    .
    (identifier) @reference.type))

; So does that of a type in front of what is not called; a call has it as its receiver.
([
  (assignment
    (use.read_of_type))
  (binary_expression
    (use.read_of_type))
  (property_declaration
    (use.read_of_type))
  (return_expression
    (use.read_of_type))
  (value_argument
    (use.read_of_type))
  (when_entry
    (use.read_of_type))
]
  (#match? @reference.type "^[A-Z]"))

; Bindings

(define.declared_type
  [
    (nullable_type)
    (user_type)
  ])

(define.typed_name
  (identifier) @binding
  .
  (use.declared_type) @binding.type)

(define.untyped_variable
  (variable_declaration
    (identifier) @binding
    .))

(define.untyped_variables
  [
    (use.untyped_variable)
    (multi_variable_declaration
      (use.untyped_variable))
  ])

(define.called
  [
    (identifier)
    (navigation_expression)
  ] @binding.call)

(define.call
  (call_expression
    .
    (use.called)))

(function_declaration
  name: (identifier) @binding
  (function_value_parameters)
  .
  (use.declared_type) @binding.type)

(function_declaration
  name: (identifier) @binding
  (function_value_parameters)
  .
  (function_body
    "="
    .
    (use.call)))

(class_parameter
  (use.typed_name))

(parameter
  (use.typed_name))

(variable_declaration
  (use.typed_name))

(property_declaration
  (use.untyped_variable)
  [
    (use.call)
    (binary_expression
      (use.comparisons (use.called)))
    (as_expression
      right: (use.declared_type) @binding.type)
  ])

; What is read from another is as if it were called.
(property_declaration
  (use.untyped_variable)
  "="
  .
  (navigation_expression) @binding.call)

(property_declaration
  (use.untyped_variable)
  "="
  .
  [
    (identifier)
    (index_expression)
  ] @binding.value)

(for_statement
  (use.untyped_variable)
  "in"
  .
  (_) @binding.element)

(call_expression
  .
  (navigation_expression
    .
    (_) @binding.element)
  (annotated_lambda
    (lambda_literal
      (lambda_parameters
        .
        (use.untyped_variable)
        .))))

; Other variables hide what has their name, and nothing is known of them.

(property_declaration
  (use.untyped_variable)
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
  (use.untyped_variable)
  "="
  .
  (binary_expression
    "?:" @binding.type))

(lambda_literal
  (lambda_parameters
    (use.untyped_variables))
  "->" @binding.type)

(for_statement
  (use.untyped_variables)
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
  (use.declared_type) @binding.type
  .
  "." @binding
  .
  name: (identifier))

(property_declaration
  (use.declared_type) @binding.type
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

(define.import_of
  ((import
    (argument.1)
    .
    (identifier)? @import.alias) @import
    (#not-match? @import "[*]")))

; From the first part to the one before the last is the module.
(use.import_of
  (qualified_identifier
    .
    (identifier) @import.module
    (identifier) @import.module
    .
    (identifier) @import.name
    .))

(use.import_of
  (qualified_identifier
    .
    (identifier) @import.module
    .
    (identifier) @import.name
    .))

(use.import_of
  (qualified_identifier
    .
    (identifier) @import.name
    .))

(import
  (qualified_identifier) @import.module
  "*" @import.name) @import
