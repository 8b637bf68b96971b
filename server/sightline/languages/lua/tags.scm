; Parts

; `a.b`
(define.dotted_name
  (dot_index_expression
    table: (_) @container
    field: (identifier) @name))

; `a`, `a.b` or `a["b"]`
(define.assigned_name
  [
    (identifier) @name
    (use.dotted_name)
    (bracket_index_expression
      table: (_) @container
      field: (string
        content: (string_content) @name))
  ])

; `f`, `a.f` or `a:f`
(define.function_name
  [
    (identifier) @name
    (use.dotted_name)
    (method_index_expression
      table: (_) @container
      method: (identifier) @name)
  ])

; `a` or `["a"]` in a table
(define.field_name
  [
    (identifier) @name
    (string
      content: (string_content) @name)
  ])

; `a = b` with one name and one value, not `a, b = c, d`
(define.assignment
  (assignment_statement
    (variable_list
      .
      name: (argument.1)
      .)
    (expression_list
      .
      value: (argument.2)
      .)))

; A function's value. Where a body holds nothing but comments, they are the body.
(define.function_value
  [
    (function_definition
      body: (block) @body)
    (function_definition
      !body
      parameters: (parameters)
      (comment)* @body)
  ])

; `require("x")`; a pattern that uses it compares `@_require`.
(define.require
  (function_call
    name: (identifier) @_require
    arguments: (arguments
      .
      (string
        content: (string_content) @import.module)
      .)))

; Declarations: functions

(function_declaration
  name: (use.function_name)
  body: (block) @body) @definition.function

(function_declaration
  name: (use.function_name)
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
      value: (use.function_value)
      .))) @definition.function

(use.assignment (use.assigned_name) (use.function_value)) @definition.function

(field
  name: (use.field_name)
  value: (use.function_value)) @definition.method

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
      name: (use.assigned_name)
      .)
    (expression_list
      .
      value: (table_constructor)
      .) @value) @definition.variable
  (#set! placeholder "{}"))

(chunk
  (assignment_statement
    (variable_list
      name: (use.assigned_name))
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

((use.assignment
  [
    (identifier)
    (dot_index_expression)
  ] @binding
  (function_call
    name: [
      (method_index_expression
        table: (_) @binding.type
        method: (identifier) @_new)
      (dot_index_expression
        table: (_) @binding.type
        field: (identifier) @_new)
    ]))
  (#eq? @_new "new"))

(parameters
  name: (identifier) @binding)

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
  (use.assignment
    (identifier) @import.alias
    [
      (use.require)
      (dot_index_expression
        table: (use.require)
        field: (identifier) @import.name)
    ])
  (#eq? @_require "require")) @import

((use.assignment (dot_index_expression) (use.require)) @import
  (#eq? @_require "require"))

(chunk
  (use.require) @import
  (#eq? @_require "require"))

(block
  (use.require) @import
  (#eq? @_require "require"))

(field
  value: (use.require) @import
  (#eq? @_require "require"))

(return_statement
  (expression_list
    (use.require) @import)
  (#eq? @_require "require"))

; `require("x").f()`
(function_call
  name: [
    (dot_index_expression
      table: (use.require) @import)
    (method_index_expression
      table: (use.require) @import)
  ]
  (#eq? @_require "require"))
