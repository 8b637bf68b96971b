; Parts

; `A` or `B::A` where it is declared
(define.declared_constant
  [
    (constant) @name
    (scope_resolution
      scope: (_)? @container
      name: (constant) @name)
  ])

; `A` or `B::A` where it is used
(define.used_constant
  [
    (argument.1)
    (scope_resolution
      scope: (_)? @receiver
      name: (argument.1))
  ])

; The block of a call, in braces or between `do` and `end`
(define.block
  [
    (block
      body: (block_body)? @body)
    (do_block
      body: (body_statement)? @body)
  ]?)

; `A = Class.new do … end`; a pattern that uses it compares `@_class` and `@_new`.
(define.made_by_call
  left: (use.declared_constant)
  right: (call
    receiver: (constant) @_class
    method: (identifier) @_new
    block: (use.block)))

; `def x = …`
(define.endless
  name: (_) @name
  "="
  body: (_) @body)

; A method without statements: its comments are the body.
(define.empty
  name: (_) @name
  !body
  (comment)* @body)

; `def self.x`, `def Foo.x`
(define.singleton_method
  ((singleton_method
    object: (argument.1)
    (use.endless)) @definition.function
    .
    (comment)?
    .
    (heredoc_body)+ @body
    (#set! placeholder "nil"))

  (singleton_method
    object: (argument.1)
    (use.endless)
    (#set! placeholder "nil")) @definition.function

  (singleton_method
    object: (argument.1)
    name: (_) @name
    body: (body_statement) @body) @definition.function

  (singleton_method
    object: (argument.1)
    (use.empty)) @definition.function)

; `:name` or `"name"`
(define.quoted_name
  [
    (simple_symbol) @name
    (string
      .
      (string_content) @name
      .)
  ])

; `A ||= …`
(define.or_assignment
  (operator_assignment
    left: (use.declared_constant)
    operator: "||="
    right: (_) @value))

; `… if x` and `… unless x`
(define.conditional
  [
    (if_modifier
      body: (argument.1))
    (unless_modifier
      body: (argument.1))
  ])

(define.variable
  [
    (identifier)
    (instance_variable)
    (class_variable)
    (global_variable)
    (constant)
  ] @binding)

; `A.new`; a pattern that uses it compares `@_new`.
(define.new_instance
  (call
    receiver: [
      (constant)
      (scope_resolution)
    ] @binding.type
    method: (identifier) @_new))

; Declarations: classes and modules

(class
  name: (use.declared_constant)
  body: (body_statement)? @body) @definition.class

(module
  name: (use.declared_constant)
  body: (body_statement)? @body
  (#set! members "yes")) @definition.module

(singleton_class
  value: (self)
  body: (body_statement)? @body) @scope

(singleton_class
  value: [
    (constant)
    (identifier)
    (scope_resolution)
  ] @container
  body: (body_statement)? @body) @scope

; Declarations: classes made by a call

(assignment
  (use.made_by_call)
  (#eq? @_class "Class")
  (#eq? @_new "new")) @definition.class

(assignment
  (use.made_by_call)
  (#eq? @_class "Module")
  (#eq? @_new "new")
  (#set! members "yes")) @definition.module

(assignment
  (use.made_by_call)
  (#any-of? @_class "Struct" "Data")
  (#any-of? @_new "new" "define")) @definition.struct

; Declarations: methods. An endless one may return a heredoc, whose text comes after its node

((method
  (use.endless)) @definition.function
  .
  (comment)?
  .
  (heredoc_body)+ @body
  (#set! placeholder "nil"))

((call
  arguments: (argument_list
    (method
      (use.endless)) @definition.function))
  .
  (comment)?
  .
  (heredoc_body)+ @body
  (#set! placeholder "nil"))

(method
  (use.endless)
  (#set! placeholder "nil")) @definition.function

(method
  name: (_) @name
  body: (body_statement) @body) @definition.function

(method
  (use.empty)) @definition.function

; Declarations: singleton methods. `def self.x` and `def Foo.x` in Foo belong to what encloses them

(_
  name: (constant) @_owner
  body: (body_statement
    (singleton_method
      object: (constant) @_object
      (use.endless)) @definition.function)
  (#eq? @_owner @_object)
  (#set! placeholder "nil"))

(_
  name: (constant) @_owner
  body: (body_statement
    (singleton_method
      object: (constant) @_object
      name: (_) @name
      body: (body_statement)? @body) @definition.function)
  (#eq? @_owner @_object))

(use.singleton_method (self))

(use.singleton_method (_) @container)

; Declarations: methods made by a call
; A call that begins with its method has no receiver and one that ends with its arguments no block:
; to ask for the place of a node is much cheaper than to ask for the absence of a field.

(call
  .
  method: (identifier) @_attribute
  arguments: (argument_list
    (use.quoted_name))
  .
  (#any-of? @_attribute "attr_reader" "attr_writer" "attr_accessor" "attr")
  (#set! strip ":")) @definition.property

(call
  method: (identifier) @_define
  arguments: (argument_list
    .
    (use.quoted_name))
  block: (use.block)
  (#any-of? @_define "define_method" "define_singleton_method")
  (#set! strip ":")) @definition.function

(call
  .
  method: (identifier) @_alias
  arguments: (argument_list
    .
    (use.quoted_name))
  .
  (#eq? @_alias "alias_method")
  (#set! strip ":")) @definition.function

(alias
  name: [
    (identifier)
    (constant)
    (operator)
    (setter)
    (simple_symbol)
  ] @name
  (#set! strip ":")) @definition.function

; Declarations: constants. The text of a heredoc comes after the assignment's node

([
  (assignment
    left: (use.declared_constant)
    right: (_) @value)
  (use.or_assignment)
] @definition.constant
  .
  (comment)?
  .
  (heredoc_body)+ @value)

((use.conditional
  (assignment
    left: (constant) @name
    right: (_) @value) @definition.constant)
  .
  (comment)?
  .
  (heredoc_body)+ @value)

(assignment
  left: (constant) @name
  right: [
    (hash)
    (call
      receiver: (hash)
      !arguments
      !block)
  ] @value
  (#set! placeholder "{}")) @definition.constant

(assignment
  left: (constant) @name
  right: [
    (array)
    (call
      receiver: (array)
      !arguments
      !block)
  ] @value
  (#set! placeholder "[]")) @definition.constant

(assignment
  left: [
    (use.declared_constant)
    (left_assignment_list
      [
        (use.declared_constant)
        (rest_assignment
          (constant) @name)
      ])
  ]
  right: (_) @value) @definition.constant

(use.or_assignment) @definition.constant

; What stands around declarations

; Of calls only those around a declaration: most heredocs are arguments of some other call.
([
  (assignment)
  (operator_assignment)
  (method)
  (singleton_method)
  (call
    .
    method: (identifier)
    arguments: (argument_list
      .
      [
        (call)
        (method)
        (singleton_method)
      ]))
  (if_modifier)
  (unless_modifier)
] @wrapped
  .
  (comment)?
  .
  (heredoc_body) @wrapper)

((heredoc_body) @wrapped
  .
  (heredoc_body) @wrapper)

(use.conditional
  [
    (assignment)
    (operator_assignment)
    (call)
    (alias)
  ] @wrapped) @wrapper

; `private def x`, `memoize def x`, `private attr_reader :x`
(call
  .
  method: (_)
  arguments: (argument_list
    .
    [
      (call)
      (method)
      (singleton_method)
    ] @wrapped
    .)) @wrapper

(comment) @comment

; The access modifiers and mixins of a type

(body_statement
  (identifier) @keep
  (#any-of? @keep "private" "protected" "public" "module_function"))

(body_statement
  (call
    !receiver
    method: (identifier) @_modifier) @keep
  (#any-of? @_modifier
    "include" "extend" "prepend" "private" "protected" "public" "module_function" "private_constant"
    "private_class_method" "public_class_method"))

; Bindings

(assignment
  left: (use.variable)
  right: (use.new_instance)
  (#eq? @_new "new")
  (#not-match? @binding.type "^(Class|Module|Struct)$"))

(operator_assignment
  left: (use.variable)
  operator: "||="
  right: (use.new_instance)
  (#eq? @_new "new"))

; References

(superclass
  (use.used_constant (constant) @reference.base))

(superclass
  [
    (call
      receiver: (constant) @reference.base)
    (element_reference
      object: (use.used_constant (constant) @reference.base))
  ])

(assignment
  left: [
    (constant)
    (scope_resolution)
  ]
  right: (call
    receiver: (constant) @_class
    method: (identifier) @_new
    arguments: (argument_list
      .
      (use.used_constant (constant) @reference.base)))
  (#eq? @_class "Class")
  (#eq? @_new "new"))

(call
  .
  method: (identifier) @_mixin
  arguments: (argument_list
    (use.used_constant (constant) @reference.base))
  .
  (#any-of? @_mixin "include" "extend" "prepend"))

; Who makes one of a class calls it.
(call
  receiver: (use.used_constant (constant) @reference.call)
  method: (identifier) @_new
  (#eq? @_new "new"))

(call
  receiver: (_) @receiver
  method: [
    (identifier)
    (constant)
  ] @reference.call)

(call
  .
  method: [
    (identifier)
    (constant)
  ] @reference.call)

; A bare word in the middle of a body is a call: a variable would do nothing there.
(body_statement
  (identifier) @reference.call
  .
  (_))

(block_body
  (identifier) @reference.call
  .
  (_))

(then
  (identifier) @reference.call
  .
  (_))

(else
  (identifier) @reference.call
  .
  (_))

; A constant names a class, a module or a value: which of them, only its declaration says.
(scope_resolution
  scope: (_) @receiver
  name: (constant) @reference.type)

(constant) @reference.type

; Imports

(call
  .
  method: (identifier) @_require
  arguments: (argument_list
    .
    (string
      .
      (string_content) @import.module
      .))
  .
  (#any-of? @_require "require" "require_relative" "load")) @import

(call
  method: (identifier) @_autoload
  arguments: (argument_list
    .
    (simple_symbol)
    .
    (string
      .
      (string_content) @import.module
      .))
  .
  (#eq? @_autoload "autoload")) @import
