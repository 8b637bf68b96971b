; Parts

; A type with or without type arguments
(define.plain_or_generic
  [
    (argument.1)
    (generic_type
      type: (argument.1))
  ])

; The name of `T`, `a::T`, `T<U>` or `a::T<U>`
(define.type_name
  (use.plain_or_generic
    [
      (type_identifier) @container
      (scoped_type_identifier
        name: (type_identifier) @container)
    ]))

; What a reference or a pointer leads to
(define.pointed_type
  [
    (use.type_name)
    (primitive_type) @container
    (dynamic_type
      trait: (type_identifier) @container)
    (array_type) @container
    (tuple_type) @container
  ])

; `impl` of a type
(define.impl
  (impl_item
    type: (argument.1)
    body: (declaration_list) @body) @scope)

; The trait in `T`, `a::T`, `T<U>` or `a::T<U>`
(define.base
  (use.plain_or_generic
    [
      (type_identifier) @reference.base
      (scoped_type_identifier
        path: (_) @receiver
        name: (type_identifier) @reference.base)
    ]))

; `a::b`
(define.path
  (scoped_identifier
    path: (_) @receiver
    name: (argument.1)))

; The function of a call, without type arguments
(define.call
  (call_expression
    function: [
      (field_expression) @binding.call
      (generic_function
        function: (_) @binding.call)
      (identifier) @binding.call
      (scoped_identifier) @binding.call
    ]))

; `let name = …`
(define.let
  (let_declaration
    pattern: (identifier) @binding
    value: (argument.1) @binding.initializer))

; A name in a pattern
(define.bound_name
  [
    (identifier) @binding
    (captured_pattern
      .
      (identifier) @binding)
    (mut_pattern
      (identifier) @binding)
    (ref_pattern
      [
        (identifier) @binding
        (mut_pattern
          (identifier) @binding)
      ])
    (reference_pattern
      (identifier) @binding)
  ])

(define.hiding_name
  [
    (identifier) @binding
    (mut_pattern
      (identifier) @binding)
    (ref_pattern
      [
        (identifier) @binding
        (mut_pattern
          (identifier) @binding)
      ])
    (reference_pattern
      (identifier) @binding)
  ])

; `Some(name)`, `Ok(name)`
(define.wrapped_name
  (tuple_struct_pattern
    type: (identifier) @_wrapper
    .
    (use.bound_name)))

; `a::b` in an import
(define.imported_path
  (scoped_identifier
    path: (_) @import.module
    name: (identifier) @import.name))

; `a::{…}`
(define.import_group
  (scoped_use_list
    path: (_) @import.module
    list: (use_list
      (argument.1))))

; What stands in a group, other groups left out
(define.imported_name
  [
    (identifier) @import.name
    (self) @_self
    (use.imported_path)
  ])

(define.group_item
  [
    (use.imported_name)
    (use_wildcard
      (_)? @import.module
      "*" @import.name)
    (use_as_clause
      path: (use.imported_name)
      alias: (_) @import.alias)
  ])

; Declarations

(struct_item
  name: (type_identifier) @name
  body: (field_declaration_list)? @body) @definition.struct

(union_item
  name: (type_identifier) @name
  body: (field_declaration_list) @body) @definition.struct

(enum_item
  name: (type_identifier) @name
  body: (enum_variant_list) @body) @definition.enum

(enum_variant
  name: (identifier) @name
  body: (field_declaration_list)? @body
  value: (_)? @value) @definition.constant

(field_declaration
  name: (field_identifier) @name) @definition.field

(trait_item
  name: (type_identifier) @name
  body: (declaration_list) @body) @definition.trait

(type_item
  name: (type_identifier) @name) @definition.type

(associated_type
  name: (type_identifier) @name) @definition.type

(mod_item
  name: (identifier) @name
  body: (declaration_list)? @body) @definition.module

(function_item
  name: [
    (identifier)
    (metavariable)
  ] @name
  body: (block) @body) @definition.function

(function_signature_item
  name: [
    (identifier)
    (metavariable)
  ] @name) @definition.function

(const_item
  name: (identifier) @name
  value: (_)? @value) @definition.constant

(static_item
  name: (identifier) @name
  value: (_)? @value) @definition.variable

(macro_definition
  name: (_) @name
  [
    "("
    "["
    "{"
  ] @body
  [
    ")"
    "]"
    "}"
  ] @body
  ";"? @body) @definition.macro

; What stands around declarations

; The owner is the type without references, `dyn`, path and arguments. One pattern for each kind of
; type: a query compares all the ways to go on with one pattern, pair by pair.
(use.impl (type_identifier) @container)

(use.impl (primitive_type) @container)

(use.impl
  (scoped_type_identifier
    name: (type_identifier) @container))

(use.impl
  (generic_type
    type: (type_identifier) @container))

(use.impl
  (generic_type
    type: (scoped_type_identifier
      name: (type_identifier) @container)))

(use.impl
  (dynamic_type
    trait: (use.type_name)))

(use.impl
  (bounded_type
    .
    (dynamic_type
      trait: (use.type_name))))

(use.impl
  (reference_type
    type: (use.pointed_type)))

(use.impl
  (pointer_type
    type: (use.pointed_type)))

(use.impl (array_type) @container)

(use.impl (tuple_type) @container)

(use.impl (function_type) @container)

(use.impl (unit_type) @container)

(use.impl (never_type) @container)

(foreign_mod_item
  body: (declaration_list) @body) @scope

(attribute_item) @decorator

(
  (attribute_item) @keep
  .
  (attribute_item)*
  .
  [
    (use_declaration)
    (extern_crate_declaration)
    (impl_item)
    (foreign_mod_item)
  ])

[
  (line_comment)
  (block_comment)
] @comment

(closure_expression) @local

(const_item
  value: (block) @body)

(static_item
  value: (block) @body)

; References

; `map(parse::<T>)` and `parse: parse::<T>` name a function and call none.
(define.generic_value
  (generic_function
    function: [
      (identifier) @reference.value
      (use.path (identifier) @reference.value)
    ]))

(arguments
  (use.generic_value))

(field_initializer
  value: (use.generic_value))

; A call, or what stands in it in front of type arguments. A pattern that starts below the node with
; the field is tried where it can match alone.
(_
  function: (identifier) @reference.call)

(_
  function: (use.path (identifier) @reference.call))

(_
  function: (field_expression
    value: (_) @receiver
    field: (field_identifier) @reference.call))

(_
  macro: (identifier) @reference.call)

(_
  macro: (use.path (identifier) @reference.call))

(attribute
  (use.path (identifier) @reference.call))

; The arguments of a macro are only tokens, and most of them are expressions.
(macro_invocation
  (token_tree) @reference.call
  (#set! tokens "calls"))

(macro_invocation
  (token_tree) @reference.value
  (#set! tokens "values"))

(macro_rule
  right: (token_tree) @reference.call
  (#set! tokens "calls"))

(impl_item
  trait: (use.base))

(trait_item
  bounds: (trait_bounds
    (use.base)))

(scoped_type_identifier
  path: (_)? @receiver
  name: (type_identifier) @reference.type)

(_
  type: (type_identifier) @reference.type)

(_
  return_type: (type_identifier) @reference.type)

(_
  default_type: (type_identifier) @reference.type)

(_
  trait: (type_identifier) @reference.type)

(array_type
  element: (type_identifier) @reference.type)

(where_predicate
  left: (type_identifier) @reference.type)

(qualified_type
  alias: (type_identifier) @reference.type)

(struct_expression
  name: (type_identifier) @reference.type)

(tuple_struct_pattern
  type: [
    (identifier) @reference.type
    (use.path (identifier) @reference.type)
  ])

[
  (bounded_type
    (type_identifier) @reference.type)
  (bracketed_type
    (type_identifier) @reference.type)
  (parameters
    (type_identifier) @reference.type)
  (removed_trait_bound
    (type_identifier) @reference.type)
  (trait_bounds
    (type_identifier) @reference.type)
  (tuple_type
    (type_identifier) @reference.type)
]

((type_arguments
  (type_identifier) @reference.type)
  (#not-eq? @reference.type "_"))

; `Type::new`, `Enum::Variant`: by convention only types begin with a capital.
((scoped_identifier
  path: (identifier) @reference.type)
  (#match? @reference.type "^(?!Self$)[A-Z]"))

((scoped_identifier
  path: (use.path (identifier) @reference.type))
  (#match? @reference.type "^[A-Z]"))

((scoped_type_identifier
  path: (identifier) @reference.type)
  (#match? @reference.type "^(?!Self$)[A-Z]"))

((scoped_type_identifier
  path: (use.path (identifier) @reference.type))
  (#match? @reference.type "^[A-Z]"))

; Functions that are named and not called

(define.value
  [
    (identifier) @reference.value
    (use.path (identifier) @reference.value)
  ])

(arguments
  (use.value))

(field_initializer
  value: (use.value))

(array_expression
  (use.value))

(tuple_expression
  (use.value))

(let_declaration
  value: (use.value))

(const_item
  value: (use.value))

(static_item
  value: (use.value))

(assignment_expression
  right: (use.value))

(match_arm
  value: (use.value))

(reference_expression
  value: (use.value))

(type_cast_expression
  value: (use.value))

; Names whose type is plain

(parameter
  pattern: (identifier) @binding
  type: (_) @binding.type)

(field_declaration
  name: (field_identifier) @binding
  type: (_) @binding.type)

(const_item
  name: (identifier) @binding
  type: (_) @binding.type)

(static_item
  name: (identifier) @binding
  type: (_) @binding.type)

(function_item
  name: (identifier) @binding
  return_type: (_) @binding.type)

(function_signature_item
  name: (identifier) @binding
  return_type: (_) @binding.type)

(let_declaration
  pattern: (identifier) @binding
  type: (_) @binding.type)

; What `self` is, with its type arguments
(impl_item
  "impl" @binding
  type: (_) @binding.type)

; Another name for a type, or what an associated one is bound by
(type_item
  name: (type_identifier) @binding
  type: (_) @binding.type)

(associated_type
  name: (type_identifier) @binding
  bounds: (trait_bounds) @binding.type)

; What a constructor takes first
(struct_item
  name: (type_identifier) @binding
  body: (ordered_field_declaration_list
    .
    type: (_) @binding.type))

(enum_variant
  name: (identifier) @binding
  body: (ordered_field_declaration_list
    .
    type: (_) @binding.type))

(type_parameter
  name: (type_identifier) @binding
  bounds: (trait_bounds) @binding.bound)

(where_predicate
  left: (type_identifier) @binding
  bounds: (trait_bounds) @binding.bound)

(type_parameter
  name: (type_identifier) @binding @binding.bound)

(use.let
  (struct_expression
    name: (_) @binding.type))

(use.let
  (type_cast_expression
    type: (_) @binding.type))

(use.let (use.call))

(use.let
  (try_expression
    (use.call)))

(use.let
  (await_expression
    (use.call)))

(use.let
  (try_expression
    (await_expression
      (use.call))))

(use.let
  [
    (field_expression)
    (identifier)
    (index_expression)
    (try_expression)
  ] @binding.value)

(use.let
  (reference_expression
    value: [
      (field_expression)
      (identifier)
      (index_expression)
    ] @binding.value))

(use.let
  (unary_expression
    (_) @binding.value))

((let_condition
  pattern: (use.wrapped_name)
  value: (_) @binding.value)
  (#any-of? @_wrapper "Some" "Ok"))

((let_declaration
  pattern: (use.wrapped_name)
  value: (_) @binding.value)
  (#any-of? @_wrapper "Some" "Ok"))

((match_expression
  value: (_) @binding.value
  body: (match_block
    (match_arm
      pattern: (match_pattern
        (use.wrapped_name)))))
  (#any-of? @_wrapper "Some" "Ok"))

((let_condition
  pattern: (use.wrapped_name)
  value: (call_expression
    function: (_) @binding.second))
  (#eq? @_wrapper "Err"))

((match_expression
  value: (call_expression
    function: (_) @binding.second)
  body: (match_block
    (match_arm
      pattern: (match_pattern
        (use.wrapped_name)))))
  (#eq? @_wrapper "Err"))

(tuple_struct_pattern
  type: (_) @binding.holder
  .
  (use.bound_name))

(struct_pattern
  type: (_) @binding.holder
  (field_pattern
    name: (shorthand_field_identifier) @binding))

((match_expression
  value: (_) @binding.value
  body: (match_block
    (match_arm
      pattern: (match_pattern
        .
        (identifier) @binding))))
  (#match? @binding "^[a-z_]"))

; What takes a tuple apart
(let_declaration
  pattern: (tuple_pattern) @binding
  type: (_) @binding.type)

(let_declaration
  pattern: (tuple_pattern) @binding
  value: [
    (await_expression)
    (call_expression)
    (field_expression)
    (identifier)
    (try_expression)
    (tuple_expression)
  ] @binding.value)

(parameter
  pattern: (tuple_pattern) @binding
  type: (_) @binding.type)

(for_expression
  pattern: (use.bound_name)
  value: (_) @binding.element)

(for_expression
  pattern: (tuple_pattern
    (use.bound_name)
    .)
  value: (_) @binding.item)

((call_expression
  function: (field_expression
    value: (_) @binding.element
    field: (field_identifier) @_called)
  arguments: (arguments
    (closure_expression
      parameters: (closure_parameters
        (use.bound_name)))))
  (#not-match? @_called "^(map_err|(try_)?fold|or_else|unwrap_or_else|ok_or_else|scan|reduce)$"))

((call_expression
  function: (field_expression
    value: (_) @binding.item
    field: (field_identifier) @_called)
  arguments: (arguments
    (closure_expression
      parameters: (closure_parameters
        (tuple_pattern
          (use.bound_name)
          .)))))
  (#not-match? @_called "^(map_err|(try_)?fold|or_else|unwrap_or_else|ok_or_else|scan|reduce)$"))

; What has no plain type is bound to itself: it hides what else has its name.
(let_declaration
  pattern: (identifier) @binding
  value: (_)? @binding.initializer)

(closure_parameters
  (identifier) @binding)

(for_expression
  pattern: (identifier) @binding)

(tuple_pattern
  (use.hiding_name)) @binding.of

(tuple_struct_pattern
  type: (_)
  (use.hiding_name))

(field_pattern
  name: (shorthand_field_identifier) @binding)

; What variables do not leave. Functions are declarations, and a loop ends with its block.

[
  (closure_expression)
  (for_expression)
  (match_arm)
  (while_expression)
] @block

(if_expression
  condition: [
    (let_chain)
    (let_condition)
  ]) @block

(if_expression
  consequence: (block) @block)

(else_clause
  (block) @block)

(block
  (expression_statement
    (block) @block))

(let_declaration
  value: (block) @block)

(unsafe_block
  (block) @block)

(loop_expression
  body: (block) @block)

; Imports. Groups are looked for three deep.

(extern_crate_declaration
  name: (_) @import.module
  alias: (_)? @import.alias) @import

(use_declaration
  argument: [
    (identifier) @import.module
    (scoped_identifier
      path: (_)? @import.module
      name: (identifier) @import.name)
    (use_wildcard
      (_) @import.module
      "*" @import.name)
    (use_as_clause
      path: [
        (identifier) @import.module
        (scoped_identifier
          path: (_)? @import.module
          name: (identifier) @import.name)
      ]
      alias: (_) @import.alias)
    (use_as_clause
      path: [
        (crate)
        (self)
        (super)
      ] @import.module
      alias: (_) @import.alias)
    (use_list
      [
        (identifier) @import.module
        (use.imported_path)
        (use_as_clause
          path: (use.imported_path)
          alias: (_) @import.alias)
        (use_wildcard
          (_) @import.module
          "*" @import.name)
        (use.import_group (identifier) @import.name)
      ])
  ]) @import

(use_declaration
  argument: (use.import_group
    [
      (use.group_item)
      (use.import_group
        [
          (use.group_item)
          (use.import_group (use.group_item))
        ])
    ])) @import
