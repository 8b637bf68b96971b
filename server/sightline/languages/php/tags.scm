; Parts

; A name of a class or function, as it is or with its namespace
(define.qualified
  [
    (argument.1)
    (qualified_name
      (namespace_name)? @receiver
      (argument.1))
    (relative_name
      (namespace_name)? @receiver
      (argument.1))
  ])

; `$name`, known without the `$`
(define.variable
  (variable_name
    (name) @name))

; A string of any kind
(define.string
  [
    (string)
    (encapsed_string)
    (heredoc)
    (nowdoc)
  ])

(define.include
  [
    (include_expression)
    (include_once_expression)
    (require_expression)
    (require_once_expression)
  ])

; A statement of the signatures that `?>` may end
(define.open_statement
  [
    (namespace_definition
      !body)
    (namespace_use_declaration)
    (const_declaration)
    (if_statement
      body: (colon_block
        [
          (function_definition)
          (class_declaration)
          (interface_declaration)
          (trait_declaration)
          (enum_declaration)
        ]))
    (expression_statement
      .
      [
        (use.include)
        (assignment_expression
          right: (use.include))
      ])
  ])

; What is included: the last part of the path, without what is put in front of it
(define.included_path
  [
    (string) @import.module
    (encapsed_string) @import.module
    (binary_expression
      right: [
        (string)
        (encapsed_string)
      ] @import.module)
  ])

(define.included
  (_
    .
    [
      "include"
      "include_once"
      "require"
      "require_once"
    ]
    [
      (use.included_path)
      (parenthesized_expression
        (use.included_path))
    ]))

; Declarations

(namespace_definition
  name: (namespace_name) @name
  body: (compound_statement) @body) @definition.module

(namespace_definition
  name: (namespace_name) @name
  !body
  (#set! extent "rest")) @definition.module

(class_declaration
  name: (name) @name
  body: (declaration_list) @body) @definition.class

(interface_declaration
  name: (name) @name
  body: (declaration_list) @body) @definition.interface

(trait_declaration
  name: (name) @name
  body: (declaration_list) @body) @definition.trait

(enum_declaration
  name: (name) @name
  body: (enum_declaration_list) @body) @definition.enum

(function_definition
  name: (name) @name
  body: (compound_statement) @body) @definition.function

(method_declaration
  name: (name) @name
  body: (compound_statement)? @body) @definition.method

; What stands for a long value is of its type: `[]`, `''`, else `null`.

(enum_case
  name: (name) @name
  value: (_)? @value
  (#set! placeholder "''")) @definition.constant

(const_declaration
  (const_element
    .
    (name) @name
    (array_creation_expression) @value)
  (#set! placeholder "[]")) @definition.constant

(const_declaration
  (const_element
    .
    (name) @name
    (use.string) @value)
  (#set! placeholder "''")) @definition.constant

(const_declaration
  (const_element
    .
    (name) @name
    "="
    (_) @value)) @definition.constant

(property_declaration
  (property_element
    name: (use.variable)
    default_value: (array_creation_expression) @value)
  (#set! placeholder "[]")) @definition.property

(property_declaration
  (property_element
    name: (use.variable)
    default_value: (use.string) @value)
  (#set! placeholder "''")) @definition.property

(property_declaration
  (property_element
    name: (use.variable)
    default_value: (_)? @value)) @definition.property

(property_promotion_parameter
  name: [
    (use.variable)
    (by_ref
      (use.variable))
  ]) @definition.property

; The grammar takes the `final` of `f(final $p)` for a type.
(simple_parameter
  type: (named_type
    (name) @_final)
  name: (use.variable)
  (#match? @_final "^[Ff][Ii][Nn][Aa][Ll]$")) @definition.property

(expression_statement
  .
  (function_call_expression
    function: [
      (name) @_define
      (qualified_name
        (name) @_define)
    ]
    arguments: (arguments
      .
      (argument
        [
          (string
            (string_content) @name)
          (encapsed_string
            (string_content) @name)
        ])
      (argument) @value))
  (#match? @_define "^[Dd][Ee][Ff][Ii][Nn][Ee]$")) @definition.constant

; What stands around declarations

(anonymous_class
  body: (declaration_list) @body) @scope

(property_hook
  body: (compound_statement) @body)

(property_hook
  "=>"
  body: (_) @body
  (#set! placeholder "null"))

[
  (anonymous_function)
  (arrow_function)
] @local

(attribute_list) @decorator

(comment) @comment

; HTML is left out. `?>` ends a statement that has no semicolon of its own, and gives way to one.

(program
  (php_tag) @body
  (#eq? @body "<?=")
  (#set! placeholder "<?php"))

((use.open_statement) @_statement
  .
  (text_interpolation) @body
  (#not-match? @_statement ";$")
  (#set! placeholder ";"))

((use.open_statement) @_statement
  .
  (text_interpolation) @keep
  (#not-match? @_statement ";$"))

((expression_statement
  .
  (function_call_expression
    function: (name) @_define)) @_statement
  .
  (text_interpolation) @body
  (#eq? @_define "define")
  (#not-match? @_statement ";$")
  (#set! placeholder ";"))

((expression_statement
  .
  (function_call_expression
    function: (name) @_define)) @_statement
  .
  (text_interpolation) @keep
  (#eq? @_define "define")
  (#not-match? @_statement ";$"))

; References

(function_call_expression
  function: (use.qualified (name) @reference.call))

(member_call_expression
  object: (_) @receiver
  name: (name) @reference.call)

(nullsafe_member_call_expression
  object: (_) @receiver
  name: (name) @reference.call)

(scoped_call_expression
  scope: (_) @receiver
  name: (name) @reference.call)

(base_clause
  (use.qualified (name) @reference.base))

(class_interface_clause
  (use.qualified (name) @reference.base))

(use_declaration
  (use.qualified (name) @reference.base))

(named_type
  (use.qualified (name) @reference.type)
  (#not-match? @reference.type "^(self|static|parent|final)$"))

(object_creation_expression
  (use.qualified (name) @reference.call)
  (#not-match? @reference.call "^(self|static|parent)$"))

(attribute
  (use.qualified (name) @reference.type))

(binary_expression
  operator: "instanceof"
  right: (use.qualified (name) @reference.type))

; The class in `A::f()`, `A::$p` and `A::C`.

(scoped_call_expression
  scope: (use.qualified (name) @reference.type))

(scoped_property_access_expression
  scope: (use.qualified (name) @reference.type))

(class_constant_access_expression
  .
  (use.qualified (name) @reference.type))

; Names whose type is plain. A property is known without the `$` of its declaration.

(simple_parameter
  type: (_) @binding.type
  name: (variable_name) @binding)

(property_promotion_parameter
  type: (_) @binding.type
  name: (variable_name) @binding)

(property_promotion_parameter
  type: (_) @binding.type
  name: (variable_name
    (name) @binding))

(property_declaration
  type: (_) @binding.type
  (property_element
    name: (variable_name
      (name) @binding)))

(catch_clause
  type: (_) @binding.type
  name: (variable_name) @binding)

(function_definition
  name: (name) @binding
  return_type: (_) @binding.type)

(method_declaration
  name: (name) @binding
  return_type: (_) @binding.type)

(assignment_expression
  left: [
    (variable_name)
    (member_access_expression
      object: (variable_name))
  ] @binding
  right: [
    (object_creation_expression
      .
      [
        (name)
        (qualified_name)
        (relative_name)
      ] @binding.type)
    (function_call_expression
      function: [
        (name)
        (qualified_name)
        (relative_name)
      ] @binding.call)
    (member_call_expression
      object: (_) @binding.call
      name: (name) @binding.call)
    (nullsafe_member_call_expression
      object: (_) @binding.call
      name: (name) @binding.call)
    (scoped_call_expression
      scope: (_) @binding.call
      name: (name) @binding.call)
  ])

; Imports

(namespace_use_declaration
  (namespace_use_clause
    .
    [
      (name) @import.name
      (qualified_name
        (namespace_name)? @import.module
        (name) @import.name)
    ]
    alias: (name)? @import.alias)) @import

(namespace_use_declaration
  (namespace_name) @import.module
  body: (namespace_use_group
    (namespace_use_clause
      .
      [
        (name) @import.name
        (qualified_name) @import.name
      ]
      alias: (name)? @import.alias))) @import

(expression_statement
  .
  (use.included)) @import

(expression_statement
  .
  (assignment_expression
    right: (use.included))) @import
