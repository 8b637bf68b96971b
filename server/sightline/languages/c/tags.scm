; Declarations
;
; A declaration may have several declarators, so the definition is the declarator and the statement
; around it its wrapper. A declarator may be nested at will; the name is its innermost part.

; One pattern for each shape: a query compares all the ways to go on with one pattern, pair by pair.
(function_definition
  declarator: (function_declarator
    declarator: [
      (identifier) @name
      (parenthesized_declarator
        (identifier) @name)
    ])
  body: (compound_statement) @body) @definition.function

(function_definition
  declarator: (_
    (function_declarator
      declarator: [
        (identifier) @name
        (parenthesized_declarator
          (identifier) @name)
      ]))
  body: (compound_statement) @body) @definition.function

(function_definition
  declarator: (_
    (_
      (function_declarator
        declarator: [
          (identifier) @name
          (parenthesized_declarator
            (identifier) @name)
        ])))
  body: (compound_statement) @body) @definition.function

(function_definition
  declarator: (pointer_declarator
    (pointer_declarator
      (pointer_declarator
        (function_declarator
          declarator: (identifier) @name))))
  body: (compound_statement) @body) @definition.function

; A function that returns a pointer to a function or an array
(function_definition
  declarator: (_
    declarator: (parenthesized_declarator
      (_
        (function_declarator
          declarator: (identifier) @name))))
  body: (compound_statement) @body) @definition.function

(function_definition
  declarator: (_
    (_
      declarator: (parenthesized_declarator
        (_
          (function_declarator
            declarator: (identifier) @name)))))
  body: (compound_statement) @body) @definition.function

; A parameter that is a function
(parameter_declaration
  declarator: [
    (function_declarator
      declarator: (identifier) @name)
    (_
      (function_declarator
        declarator: (identifier) @name))
  ]) @definition.variable

; A macro before it makes the type look like the name: `EXPORT int (open)(void);`
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
  (#set! local "drop"))

((function_declarator
  declarator: [
    (identifier) @name
    (parenthesized_declarator
      (identifier) @name)
  ]) @definition.function
  (#set! local "drop"))

(type_definition
  type: (struct_specifier
    !name
    body: (field_declaration_list) @body) @definition.struct
  .
  declarator: (type_identifier) @name)

(type_definition
  type: (union_specifier
    !name
    body: (field_declaration_list) @body) @definition.struct
  .
  declarator: (type_identifier) @name)

(type_definition
  type: (enum_specifier
    !name
    body: (enumerator_list) @body) @definition.enum
  .
  declarator: (type_identifier) @name)

(struct_specifier
  name: (type_identifier) @name
  body: (field_declaration_list) @body) @definition.struct

(union_specifier
  name: (type_identifier) @name
  body: (field_declaration_list) @body) @definition.struct

; A macro before the name makes a type look like a function: `struct EXPORT Options { … };`
((function_definition
  type: (struct_specifier
    !body)
  declarator: (identifier) @name
  body: (compound_statement) @body) @definition.struct
  (#set! local "drop"))

((function_definition
  type: (union_specifier
    !body)
  declarator: (identifier) @name
  body: (compound_statement) @body) @definition.struct
  (#set! local "drop"))

(enum_specifier
  name: (type_identifier) @name
  body: (enumerator_list) @body) @definition.enum

((enumerator
  name: (identifier) @name
  value: (_)? @value) @definition.constant
  (#set! placeholder "0"))

(type_definition
  declarator: [
    (type_identifier)
    (primitive_type)
  ] @name @definition.type)

[
  (pointer_declarator
    declarator: (type_identifier) @name)
  (array_declarator
    declarator: (type_identifier) @name)
  (function_declarator
    declarator: (type_identifier) @name)
  (parenthesized_declarator
    (type_identifier) @name)
  (attributed_declarator
    (type_identifier) @name)
] @definition.type

(field_declaration
  declarator: (field_identifier) @name @definition.field)

[
  (pointer_declarator
    declarator: (field_identifier) @name)
  (array_declarator
    declarator: (field_identifier) @name)
  (function_declarator
    declarator: (field_identifier) @name)
  (parenthesized_declarator
    (field_identifier) @name)
  (attributed_declarator
    (field_identifier) @name)
] @definition.field

(declaration
  (type_qualifier
    [
      "const"
      "constexpr"
    ])
  declarator: [
    (identifier) @name @definition.constant
    (array_declarator
      declarator: (identifier) @name) @definition.constant
    (init_declarator
      declarator: [
        (identifier) @name
        (array_declarator
          declarator: (identifier) @name)
        (array_declarator
          declarator: (array_declarator
            declarator: (identifier) @name))
      ]
      value: (_) @value) @definition.constant
  ])

(init_declarator
  declarator: [
    (identifier) @name
    (attributed_declarator
      (identifier) @name)
    (_
      declarator: (identifier) @name)
    (_
      declarator: (_
        declarator: (identifier) @name))
    (_
      declarator: (_
        declarator: (_
          declarator: (identifier) @name)))
    (_
      declarator: (parenthesized_declarator
        (_
          declarator: (identifier) @name)))
    (_
      declarator: (parenthesized_declarator
        (_
          declarator: (_
            declarator: (identifier) @name))))
  ]
  value: (_) @value) @definition.variable

(declaration
  declarator: (identifier) @name @definition.variable)

[
  (pointer_declarator
    declarator: (identifier) @name)
  (array_declarator
    declarator: (identifier) @name)
  (parenthesized_declarator
    (identifier) @name)
  (attributed_declarator
    (identifier) @name)
] @definition.variable

; What looks like a call of a call declares, at the top of a file: `ticks (*clock)(void);`
((expression_statement
  (call_expression
    function: (call_expression
      arguments: (argument_list
        .
        (pointer_expression
          argument: (identifier) @name)
        .)))) @definition.variable
  (#set! placeholder "0"))

((expression_statement
  (call_expression
    function: (call_expression
      arguments: (argument_list
        .
        (pointer_expression
          argument: (subscript_expression
            argument: (identifier) @name))
        .)))) @definition.variable
  (#set! placeholder "0"))

((expression_statement
  (assignment_expression
    left: (call_expression
      function: (call_expression
        arguments: (argument_list
          .
          (pointer_expression
            argument: (identifier) @name)
          .)))
    right: (_) @value)) @definition.variable
  (#set! placeholder "0"))

((expression_statement
  (subscript_expression
    argument: (call_expression
      arguments: (argument_list
        .
        (pointer_expression
          argument: (identifier) @name)
        .)))) @definition.variable
  (#set! placeholder "0"))

; `size (measure)(void);`, but not `MACRO(name)(argument);`
((expression_statement
  (call_expression
    function: (call_expression
      function: (_) @_type
      arguments: (argument_list
        .
        (identifier) @name
        .)))) @definition.function
  (#not-match? @_type "^[A-Z0-9_]+$")
  (#set! local "drop"))

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
  name: (identifier) @name) @definition.macro

; What stands around declarations

[
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
    ] @wrapped)
] @wrapper

(linkage_specification
  body: (declaration_list) @body) @scope

(attribute_declaration) @decorator

(attribute_specifier) @decorator

(comment) @comment

(parameter_list) @local

; Parameters of a definition in the old style
(function_definition
  (declaration) @local)

; The semicolon after a type that looks like a function
(
  (function_definition
    declarator: (identifier))
  .
  (expression_statement
    .
    ";") @keep)

; Statements given to a macro, or left behind by one
(argument_list
  (compound_statement) @local)

(translation_unit
  (compound_statement) @body)

; References

; `ticks (*clock)(void);` again
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
        (pointer_expression)))))

; Only a call has a function. A pattern that starts below the call is tried where it can match alone.
(_
  function: (identifier) @reference.call)

(_
  function: (field_expression
    argument: (_) @receiver
    field: (field_identifier) @reference.call))

(_
  function: (parenthesized_expression
    (pointer_expression
      argument: (identifier) @reference.call)))

(_
  function: (parenthesized_expression
    (pointer_expression
      argument: (field_expression
        argument: (_) @receiver
        field: (field_identifier) @reference.call))))

(macro_type_specifier
  name: (identifier) @reference.call)

(_
  type: (type_identifier) @reference.type)

(struct_specifier
  name: (type_identifier) @reference.type
  !body)

(union_specifier
  name: (type_identifier) @reference.type
  !body)

(enum_specifier
  name: (type_identifier) @reference.type
  !body)

; Names whose type is plain

; A variable, parameter, field or function: all of them have a type and a declarator.
(_
  type: [
    (type_identifier) @binding.type
    (struct_specifier
      name: (type_identifier) @binding.type)
    (union_specifier
      name: (type_identifier) @binding.type)
  ]
  declarator: [
    (field_identifier)
    (identifier)
  ] @binding)

(_
  type: [
    (type_identifier) @binding.type
    (struct_specifier
      name: (type_identifier) @binding.type)
    (union_specifier
      name: (type_identifier) @binding.type)
  ]
  declarator: (pointer_declarator
    declarator: [
      (field_identifier)
      (identifier)
    ] @binding))

(_
  type: [
    (type_identifier) @binding.type
    (struct_specifier
      name: (type_identifier) @binding.type)
    (union_specifier
      name: (type_identifier) @binding.type)
  ]
  declarator: (init_declarator
    declarator: (identifier) @binding))

(_
  type: [
    (type_identifier) @binding.type
    (struct_specifier
      name: (type_identifier) @binding.type)
    (union_specifier
      name: (type_identifier) @binding.type)
  ]
  declarator: (init_declarator
    declarator: (pointer_declarator
      declarator: (identifier) @binding)))

(_
  type: [
    (type_identifier) @binding.type
    (struct_specifier
      name: (type_identifier) @binding.type)
    (union_specifier
      name: (type_identifier) @binding.type)
  ]
  declarator: (function_declarator
    declarator: (identifier) @binding))

(_
  type: [
    (type_identifier) @binding.type
    (struct_specifier
      name: (type_identifier) @binding.type)
    (union_specifier
      name: (type_identifier) @binding.type)
  ]
  declarator: (pointer_declarator
    declarator: (function_declarator
      declarator: (identifier) @binding)))

; Imports

(preproc_include
  path: [
    (string_literal)
    (system_lib_string)
    (identifier)
    (call_expression)
  ] @import.module) @import
