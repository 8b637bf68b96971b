; What C and C++ have in common, each part one thing: see `c/tags.scm` and `cpp/tags.scm` for where
; it stands among their own patterns.

; Declarators around something, whatever it declares
(define.declarator_of
  (pointer_declarator
    declarator: (argument.1))
  (array_declarator
    declarator: (argument.1))
  (parenthesized_declarator
    (argument.1))
  (attributed_declarator
    (argument.1)))

(define.function_as_parameter
  (parameter_declaration
    declarator: [
      (function_declarator
        declarator: (identifier) @name)
      (_
        (function_declarator
          declarator: (identifier) @name))
    ]) @definition.variable)

; A macro before it makes the type look like the name: `EXPORT int (open)(void);`
(define.function_behind_macro
  ((function_declarator
    declarator: (function_declarator
      declarator: (identifier) @_type
      parameters: (parameter_list
        .
        (parameter_declaration
          .
          type: (type_identifier) @name
          .)
        .))) @definition.function
    (#not-match? @_type "^[A-Z0-9_]+$")
    (#set! local "drop")))

; `typedef struct { … } Name;`
(define.unnamed_types_with_typedef
  (type_definition
    type: [
      (struct_specifier
        !name
        body: (field_declaration_list) @body)
      (union_specifier
        !name
        body: (field_declaration_list) @body)
    ] @definition.struct
    .
    declarator: (type_identifier) @name)
  (type_definition
    type: (enum_specifier
      !name
      body: (enumerator_list) @body) @definition.enum
    .
    declarator: (type_identifier) @name))

; A macro before the name makes a type look like a function: `struct EXPORT Options { … };`
(define.struct_behind_macro
  ((function_definition
    type: [
      (struct_specifier
        !body)
      (union_specifier
        !body)
    ]
    declarator: (identifier) @name
    body: (compound_statement) @body) @definition.struct
    (#set! local "drop")))

(define.enumerator
  ((enumerator
    name: (identifier) @name
    value: (_)? @value) @definition.constant
    (#set! placeholder "0")))

(define.typedef
  (type_definition
    declarator: [
      (type_identifier)
      (primitive_type)
    ] @name @definition.type))

; What looks like a call of a call declares, at the top of a file: `ticks (*clock)(void);`
(define.pointed_at
  (argument_list
    .
    (pointer_expression
      argument: (argument.1))
    .))

(define.variables_that_look_like_calls
  ((expression_statement
    [
      (call_expression
        function: (call_expression
          arguments: [
            (use.pointed_at
              (identifier) @name)
            (use.pointed_at
              (subscript_expression
                argument: (identifier) @name))
          ]))
      (assignment_expression
        left: (call_expression
          function: (call_expression
            arguments: (use.pointed_at
              (identifier) @name)))
        right: (_) @value)
      (subscript_expression
        argument: (call_expression
          arguments: (use.pointed_at
            (identifier) @name)))
    ]) @definition.variable
    (#set! placeholder "0")))

; `size (measure)(void);`, but not `MACRO(name)(argument);`
(define.function_that_looks_like_a_call
  ((expression_statement
    (call_expression
      function: (call_expression
        function: (_) @_type
        arguments: (argument_list
          .
          (identifier) @name
          .)))) @definition.function
    (#not-match? @_type "^[A-Z0-9_]+$")
    (#set! local "drop")))

; The types of `variables_that_look_like_calls`
(define.types_that_look_like_functions
  (_
    function: (call_expression
      function: (identifier) @reference.type
      arguments: (argument_list
        .
        (pointer_expression))))
  (expression_statement
    (subscript_expression
      argument: (call_expression
        function: (identifier) @reference.type
        arguments: (argument_list
          .
          (pointer_expression))))))

(define.macros
  ((preproc_def
    name: (identifier) @name
    value: (preproc_arg) @body) @definition.macro
    (#match? @body "\n")
    (#set! placeholder ""))
  (preproc_def
    name: (identifier) @name) @definition.macro
  ((preproc_function_def
    name: (identifier) @name
    value: (preproc_arg) @body) @definition.macro
    (#set! placeholder ""))
  (preproc_function_def
    name: (identifier) @name) @definition.macro)

; What stands around a declaration
(define.wrappers
  (declaration
    declarator: (_) @wrapped)
  (field_declaration
    declarator: (_) @wrapped)
  (type_definition
    declarator: (_) @wrapped)
  (init_declarator
    declarator: (_) @wrapped)
  (pointer_declarator
    declarator: (_) @wrapped)
  (array_declarator
    declarator: (_) @wrapped)
  (function_declarator
    declarator: (_) @wrapped)
  (parenthesized_declarator
    (_) @wrapped)
  (attributed_declarator
    .
    (_) @wrapped)
  ; A type and something of that type in one statement
  (declaration
    type: (_
      body: (_)) @wrapped)
  (field_declaration
    type: (_
      body: (_)) @wrapped)
  (type_definition
    type: (_
      body: (_)) @wrapped)
  (linkage_specification
    body: [
      (function_definition)
      (declaration)
    ] @wrapped))

(define.decorators_and_comments
  (attribute_declaration) @decorator
  (attribute_specifier) @decorator
  (comment) @comment)

; The semicolon after a type that looks like a function
(define.semicolon_after_type
  (
    (function_definition
      declarator: (identifier))
    .
    (expression_statement
      .
      ";") @keep))

; Statements given to a macro, or left behind by one
(define.statements_of_macros
  (argument_list
    (compound_statement) @local)
  (translation_unit
    (compound_statement) @body))

; Only a call has a function. A pattern that starts below the call is tried where it can match alone.
; A language with overloads takes the arguments besides.
(define.call_of
  (_
    function: (argument.1)))

(define.calls
  (use.call_of (identifier) @reference.call)
  (use.call_of
    (field_expression
      argument: (_) @receiver
      field: (field_identifier) @reference.call))
  ; `(*f)(x)`
  (_
    function: (parenthesized_expression
      (pointer_expression
        argument: (identifier) @reference.call)))
  (_
    function: (parenthesized_expression
      (pointer_expression
        argument: (field_expression
          argument: (_) @receiver
          field: (field_identifier) @reference.call)))))

; The body of a macro is only text.
(define.calls_in_macros
  ((preproc_function_def
    value: (preproc_arg) @reference.call)
    (#set! tokens "calls"))
  ((preproc_def
    value: (preproc_arg) @reference.call)
    (#set! tokens "calls"))
  ((preproc_def
    value: (preproc_arg) @reference.value)
    (#match? @reference.value "^[A-Za-z_]\\w*$")))

; Functions that are named and not called
(define.values
  (argument_list
    (argument.1))
  (initializer_list
    (argument.1))
  (_
    value: (argument.1))
  (_
    right: (argument.1))
  (_
    consequence: (argument.1))
  (_
    alternative: (argument.1))
  (return_statement
    (argument.1))
  (pointer_expression
    operator: "&"
    argument: (argument.1)))

; A type that is named and not defined: `struct Node *next;`
(define.named_type
  name: (type_identifier) @reference.type
  !body)

(define.include
  (preproc_include
    path: [
      (string_literal)
      (system_lib_string)
      (identifier)
      (call_expression)
    ] @import.module) @import)
