; Declarations: functions. Where a body holds nothing but comments, they are the body

(function_declaration
  name: [
    (identifier) @name
    (dot_index_expression
      table: (_) @container
      field: (identifier) @name)
    (method_index_expression
      table: (_) @container
      method: (identifier) @name)
  ]
  body: (block) @body) @definition.function

(variable_declaration
  (assignment_statement
    (variable_list
      .
      name: (identifier) @name
      .
      attribute: (attribute)?
      .)
    (expression_list
      .
      value: (function_definition
        body: (block) @body)
      .))) @definition.function

(assignment_statement
  (variable_list
    .
    name: [
      (identifier) @name
      (dot_index_expression
        table: (_) @container
        field: (identifier) @name)
      (bracket_index_expression
        table: (_) @container
        field: (string
          content: (string_content) @name))
    ]
    .)
  (expression_list
    .
    value: (function_definition
      body: (block) @body)
    .)) @definition.function

(field
  name: [
    (identifier) @name
    (string
      content: (string_content) @name)
  ]
  value: (function_definition
    body: (block) @body)) @definition.method

(function_declaration
  name: [
    (identifier) @name
    (dot_index_expression
      table: (_) @container
      field: (identifier) @name)
    (method_index_expression
      table: (_) @container
      method: (identifier) @name)
  ]
  !body
  parameters: (parameters)
  (comment)* @body) @definition.function

(variable_declaration
  (assignment_statement
    (variable_list
      .
      name: (identifier) @name
      .
      attribute: (attribute)?
      .)
    (expression_list
      .
      value: (function_definition
        !body
        parameters: (parameters)
        (comment)* @body)
      .))) @definition.function

(assignment_statement
  (variable_list
    .
    name: [
      (identifier) @name
      (dot_index_expression
        table: (_) @container
        field: (identifier) @name)
      (bracket_index_expression
        table: (_) @container
        field: (string
          content: (string_content) @name))
    ]
    .)
  (expression_list
    .
    value: (function_definition
      !body
      parameters: (parameters)
      (comment)* @body)
    .)) @definition.function

(field
  name: [
    (identifier) @name
    (string
      content: (string_content) @name)
  ]
  value: (function_definition
    !body
    parameters: (parameters)
    (comment)* @body)) @definition.method

; Declarations: variables of the file and fields of its tables

(chunk
  (variable_declaration
    (assignment_statement
      (variable_list
        name: (identifier) @name
        .
        attribute: (attribute
          (identifier) @_attribute))
      (expression_list) @value)) @definition.constant
  (#eq? @_attribute "const"))

(chunk
  (variable_declaration
    (assignment_statement
      (variable_list
        .
        name: (identifier) @name
        .)
      (expression_list
        .
        value: (table_constructor)
        .) @value)) @definition.variable
  (#set! placeholder "{}"))

; What is required is an import.
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list
        name: (identifier) @name)
      (expression_list) @value @_value)) @definition.variable
  (#not-match? @_value "^require\\s*\\(?\\s*(\"[^\"]*\"|'[^']*')\\s*\\)?(\\.\\w+)?$"))

(chunk
  (variable_declaration
    (variable_list
      name: (identifier) @name)) @definition.variable)

(chunk
  (assignment_statement
    (variable_list
      .
      name: [
        (identifier) @name
        (dot_index_expression
          table: (_) @container
          field: (identifier) @name)
        (bracket_index_expression
          table: (_) @container
          field: (string
            content: (string_content) @name))
      ]
      .)
    (expression_list
      .
      value: (table_constructor)
      .) @value) @definition.variable
  (#set! placeholder "{}"))

(chunk
  (assignment_statement
    (variable_list
      name: [
        (identifier) @name
        (dot_index_expression
          table: (_) @container
          field: (identifier) @name)
        (bracket_index_expression
          table: (_) @container
          field: (string
            content: (string_content) @name))
      ])
    (expression_list) @value) @definition.variable)

; What stands around declarations

(field
  name: [
    (identifier) @container
    (string
      content: (string_content) @container)
  ]
  value: (table_constructor)) @scope

(function_definition) @local

(comment) @comment

(chunk
  (return_statement
    (expression_list
      .
      [
        (identifier)
        (dot_index_expression)
      ]
      .)) @keep)

(chunk
  (function_call
    name: (identifier) @_function) @keep
  (#eq? @_function "setmetatable"))

; Bindings: what `new` of a table makes is one of its kind

(assignment_statement
  (variable_list
    .
    name: [
      (identifier)
      (dot_index_expression)
    ] @binding
    .)
  (expression_list
    .
    value: (function_call
      name: [
        (method_index_expression
          table: (_) @binding.type
          method: (identifier) @_new)
        (dot_index_expression
          table: (_) @binding.type
          field: (identifier) @_new)
      ])
    .)
  (#eq? @_new "new"))

(parameters
  name: (identifier) @binding @binding.type)

; What a file gives to whoever requires it

(chunk
  (return_statement
    "return" @binding
    (expression_list
      .
      [
        (identifier) @binding.type
        (function_call
          name: (identifier) @_setmetatable
          arguments: (arguments
            .
            (identifier) @binding.type))
      ]
      .))
  (#eq? @_setmetatable "setmetatable"))

; References: what a table falls back on

(assignment_statement
  (expression_list
    .
    value: (function_call
      name: (identifier) @_setmetatable
      arguments: (arguments
        (table_constructor
          (field
            name: (identifier) @_index
            value: (identifier) @reference.base)))))
  (#eq? @_setmetatable "setmetatable")
  (#eq? @_index "__index"))

(chunk
  (variable_declaration
    (assignment_statement
      (expression_list
        .
        value: (function_call
          name: (method_index_expression
            table: (identifier) @reference.base
            method: (identifier) @_extend)))))
  (#any-of? @_extend "extend" "new" "subclass" "derive"))

; References

(function_call
  name: [
    (identifier) @reference.call
    (dot_index_expression
      table: (_) @receiver
      field: (identifier) @reference.call)
    (method_index_expression
      table: (_) @receiver
      method: (identifier) @reference.call)
  ])

; Imports

(variable_declaration
  (assignment_statement
    (variable_list
      .
      name: (identifier) @import.alias
      .)
    (expression_list
      .
      value: [
        (function_call
          name: (identifier) @_require
          arguments: (arguments
            .
            (string
              content: (string_content) @import.module)
            .))
        (dot_index_expression
          table: (function_call
            name: (identifier) @_require
            arguments: (arguments
              .
              (string
                content: (string_content) @import.module)
              .))
          field: (identifier) @import.name)
      ]
      .))
  (#eq? @_require "require")) @import

(assignment_statement
  (variable_list
    .
    name: (dot_index_expression)
    .)
  (expression_list
    .
    value: (function_call
      name: (identifier) @_require
      arguments: (arguments
        .
        (string
          content: (string_content) @import.module)
        .))
    .)
  (#eq? @_require "require")) @import

(chunk
  (function_call
    name: (identifier) @_require
    arguments: (arguments
      .
      (string
        content: (string_content) @import.module)
      .)) @import
  (#eq? @_require "require"))

(block
  (function_call
    name: (identifier) @_require
    arguments: (arguments
      .
      (string
        content: (string_content) @import.module)
      .)) @import
  (#eq? @_require "require"))

(field
  value: (function_call
    name: (identifier) @_require
    arguments: (arguments
      .
      (string
        content: (string_content) @import.module)
      .)) @import
  (#eq? @_require "require"))

(return_statement
  (expression_list
    (function_call
      name: (identifier) @_require
      arguments: (arguments
        .
        (string
          content: (string_content) @import.module)
        .)) @import)
  (#eq? @_require "require"))

; `require("x").f()`
(function_call
  name: [
    (dot_index_expression
      table: (function_call
        name: (identifier) @_require
        arguments: (arguments
          .
          (string
            content: (string_content) @import.module)
          .)) @import)
    (method_index_expression
      table: (function_call
        name: (identifier) @_require
        arguments: (arguments
          .
          (string
            content: (string_content) @import.module)
          .)) @import)
  ]
  (#eq? @_require "require"))
