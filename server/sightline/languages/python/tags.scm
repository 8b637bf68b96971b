; Parts

; `a` or `b.a`
(define.dotted
  [
    (argument.1)
    (attribute
      object: (_) @receiver
      attribute: (argument.1))
  ])

(define.type_name
  (use.dotted (identifier) @reference.type))

; A type is an expression: names in it stand below unions, subscripts and lists of any depth
(define.type_name_or_below
  [
    (use.type_name)
    (_
      !attribute
      !function
      (argument.1))
  ])

; `a`, `b.a`, `a[…]` or `b.a[…]`
(define.subscripted
  [
    (use.dotted (argument.1))
    (subscript
      value: (use.dotted (argument.1)))
  ])

; The names of a type parameter: `T`, `*T` and `T: bound`
(define.type_parameter
  (type_parameter
    (type
      [
        (identifier) @name
        (splat_type
          (identifier) @name)
        (constrained_type
          .
          (type
            (identifier) @name))
      ]) @definition.variable))

(define.assigned
  (assignment
    left: (_) @name.within
    right: (_) @value))

(define.assigned_in_chain
  [
    (use.assigned)
    (assignment
      right: (argument.1))
  ])

; `a` or `b.a`, whole
(define.expression
  [
    (identifier)
    (attribute)
  ])

; `a(…)` or `b.a(…)`
(define.call
  (call
    function: (use.expression) @binding.call))

; One exception or several
(define.caught
  [
    (use.type_name)
    (tuple
      (use.type_name))
  ])

; `a` or `a as b`
(define.imported
  [
    (dotted_name) @import.name
    (aliased_import
      name: (dotted_name) @import.name
      alias: (identifier) @import.alias)
  ])

; Declarations

(class_definition
  name: (identifier) @name
  body: (block) @body) @definition.class

(function_definition
  name: (identifier) @name
  body: (block) @body) @definition.function

(type_alias_statement
  left: (type
    [
      (identifier) @name
      (generic_type
        (identifier) @name)
    ])
  right: (type) @value) @definition.type

; The kinds of targets are named: a place for any node would hold every name that is assigned to.
(expression_statement
  .
  (assignment
    .
    left: [
      (identifier) @name
      [
        (pattern_list)
        (tuple_pattern)
        (list_pattern)
      ] @name.within
    ]
    right: (_)? @value)) @definition.variable

; Chained: `a = b = c = 1`. One pattern: each one would begin anew at every statement.
(expression_statement
  .
  (assignment
    right: (use.assigned_in_chain
      (use.assigned_in_chain
        (use.assigned_in_chain (use.assigned_in_chain (use.assigned))))))) @definition.variable

; Type parameters: declared between brackets, local to what follows, so no symbols and no uses

(_
  type_parameters: (use.type_parameter))

(_
  type_parameters: (type_parameter) @local)

(type_alias_statement
  left: (type
    (generic_type
      (use.type_parameter))))

(type_alias_statement
  left: (type
    (generic_type
      (type_parameter) @local)))

; What stands around declarations

(decorated_definition
  definition: (_) @wrapped) @wrapper

(decorator) @decorator

(comment) @comment

(lambda) @local

; Bindings

; What a loop runs over whose type may be plain
(define.iterated
  [
    (attribute)
    (call)
    (identifier)
    (subscript)
  ])

(typed_parameter
  .
  (identifier) @binding
  type: (type) @binding.type)

(typed_default_parameter
  name: (identifier) @binding
  type: (type) @binding.type)

; A parameter without a type, or what a loop runs over, is bound to itself: it hides what else has
; its name.
(parameters
  [
    (identifier) @binding
    (default_parameter
      name: (identifier) @binding)
    (list_splat_pattern
      (identifier) @binding)
    (dictionary_splat_pattern
      (identifier) @binding)
  ]
  (#not-match? @binding "^(self|cls)$"))

(for_statement
  left: (identifier) @binding
  right: (use.iterated) @binding.element)

(for_in_clause
  left: (identifier) @binding
  right: (use.iterated) @binding.element)

(for_statement
  left: (pattern_list
    (identifier) @binding
    .)
  right: (use.iterated) @binding.item)

(for_statement
  left: (identifier) @binding)

(function_definition
  name: (identifier) @binding
  parameters: (parameters)
  .
  return_type: (type) @binding.type)

(assignment
  .
  left: (use.expression) @binding
  .
  type: (type) @binding.type)

(assignment
  .
  left: (use.expression) @binding
  .
  right: [
    (use.call)
    (await
      (use.call))
  ])

; `self.user = user`: the field has the type that the parameter was given
(assignment
  .
  left: (attribute
    object: (identifier)) @binding
  .
  right: (identifier) @binding.type)

(named_expression
  name: (identifier) @binding
  value: (use.call))

; References

(class_definition
  superclasses: (argument_list
    (use.subscripted (identifier) @reference.base)))

(class_definition
  superclasses: (argument_list
    (keyword_argument
      name: (identifier) @_keyword
      value: (use.dotted (identifier) @reference.base)))
  (#eq? @_keyword "metaclass"))

(call
  function: (use.subscripted (identifier) @reference.call))

(decorator
  (use.dotted (identifier) @reference.call))

(type
  (use.type_name_or_below
    (use.type_name_or_below
      (use.type_name_or_below
        (use.type_name_or_below (use.type_name_or_below (use.type_name)))))))

; A name in quotes is a type that is declared further down
(type
  (string
    .
    (string_start)
    .
    (string_content) @reference.type)
  (#match? @reference.type "^[A-Z]\\w*$"))

(class_definition
  superclasses: (argument_list
    (subscript
      subscript: (use.type_name_or_below (use.type_name_or_below (use.type_name))))))

(except_clause
  value: [
    (use.caught)
    (as_pattern
      .
      (use.caught))
  ])

; What is raised without a call is a class, or else a variable
(raise_statement
  .
  (use.type_name)
  (#match? @reference.type "^[A-Z]"))

(class_pattern
  (dotted_name
    (identifier) @receiver
    .
    (identifier) @reference.type .))

(class_pattern
  (dotted_name
    (identifier) @reference.type .))

; Functions and classes that are named and not called

(define.value
  [
    (attribute)
    (identifier)
  ] @reference.value)

((argument_list
    (use.value))
  (#set! receiver "inside"))

((keyword_argument
    value: (use.value))
  (#set! receiver "inside"))

((pair
    value: (use.value))
  (#set! receiver "inside"))

((list
    (use.value))
  (#set! receiver "inside"))

((tuple
    (use.value))
  (#set! receiver "inside"))

((set
    (use.value))
  (#set! receiver "inside"))

((assignment
    right: (use.value))
  (#set! receiver "inside"))

((return_statement
    (use.value))
  (#set! receiver "inside"))

((default_parameter
    value: (use.value))
  (#set! receiver "inside"))

((conditional_expression
    (use.value))
  (#set! receiver "inside"))

; Imports

(import_statement
  name: [
    (dotted_name) @import.module
    (aliased_import
      name: (dotted_name) @import.module
      alias: (identifier) @import.alias)
  ]) @import

(import_from_statement
  module_name: (_) @import.module
  name: (use.imported)) @import

(import_from_statement
  module_name: (_) @import.module
  (wildcard_import) @import.name) @import

(future_import_statement
  "__future__" @import.module
  name: (use.imported)) @import
