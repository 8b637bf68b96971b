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
(impl_item
  type: (type_identifier) @container
  body: (declaration_list) @body) @scope

(impl_item
  type: (primitive_type) @container
  body: (declaration_list) @body) @scope

(impl_item
  type: (scoped_type_identifier
    name: (type_identifier) @container)
  body: (declaration_list) @body) @scope

(impl_item
  type: (generic_type
    type: (type_identifier) @container)
  body: (declaration_list) @body) @scope

(impl_item
  type: (generic_type
    type: (scoped_type_identifier
      name: (type_identifier) @container))
  body: (declaration_list) @body) @scope

(impl_item
  type: (dynamic_type
    trait: [
      (type_identifier) @container
      (scoped_type_identifier
        name: (type_identifier) @container)
      (generic_type
        type: [
          (type_identifier) @container
          (scoped_type_identifier
            name: (type_identifier) @container)
        ])
    ])
  body: (declaration_list) @body) @scope

(impl_item
  type: (bounded_type
    .
    (dynamic_type
      trait: [
        (type_identifier) @container
        (scoped_type_identifier
          name: (type_identifier) @container)
        (generic_type
          type: [
            (type_identifier) @container
            (scoped_type_identifier
              name: (type_identifier) @container)
          ])
      ]))
  body: (declaration_list) @body) @scope

(impl_item
  type: (reference_type
    type: [
      (type_identifier) @container
      (primitive_type) @container
      (scoped_type_identifier
        name: (type_identifier) @container)
      (generic_type
        type: [
          (type_identifier) @container
          (scoped_type_identifier
            name: (type_identifier) @container)
        ])
      (dynamic_type
        trait: (type_identifier) @container)
      (array_type) @container
      (tuple_type) @container
    ])
  body: (declaration_list) @body) @scope

(impl_item
  type: (pointer_type
    type: [
      (type_identifier) @container
      (primitive_type) @container
      (scoped_type_identifier
        name: (type_identifier) @container)
      (generic_type
        type: [
          (type_identifier) @container
          (scoped_type_identifier
            name: (type_identifier) @container)
        ])
      (dynamic_type
        trait: (type_identifier) @container)
      (array_type) @container
      (tuple_type) @container
    ])
  body: (declaration_list) @body) @scope

(impl_item
  type: (array_type) @container
  body: (declaration_list) @body) @scope

(impl_item
  type: (tuple_type) @container
  body: (declaration_list) @body) @scope

(impl_item
  type: (function_type) @container
  body: (declaration_list) @body) @scope

(impl_item
  type: (unit_type) @container
  body: (declaration_list) @body) @scope

(impl_item
  type: (never_type) @container
  body: (declaration_list) @body) @scope

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

; A call, or what stands in it in front of type arguments. A pattern that starts below the node with
; the field is tried where it can match alone.
(_
  function: (identifier) @reference.call)

(_
  function: (scoped_identifier
    path: (_) @receiver
    name: (identifier) @reference.call))

(_
  function: (field_expression
    value: (_) @receiver
    field: (field_identifier) @reference.call))

(_
  macro: (identifier) @reference.call)

(_
  macro: (scoped_identifier
    path: (_) @receiver
    name: (identifier) @reference.call))

(attribute
  (scoped_identifier
    path: (_) @receiver
    name: (identifier) @reference.call))

; The arguments of a macro are only tokens, and most of them are expressions.
(token_tree
  (identifier) @receiver
  .
  "."
  .
  (identifier) @reference.call
  .
  (token_tree
    .
    "("))

(token_tree
  (identifier) @receiver
  .
  "::"
  .
  (identifier) @reference.call
  .
  (token_tree
    .
    "("))

(token_tree
  (self) @receiver
  .
  "."
  .
  (identifier) @reference.call
  .
  (token_tree
    .
    "("))

(token_tree
  (identifier) @reference.call
  .
  (token_tree
    .
    "("))

(impl_item
  trait: [
    (type_identifier) @reference.base
    (scoped_type_identifier
      path: (_) @receiver
      name: (type_identifier) @reference.base)
    (generic_type
      type: [
        (type_identifier) @reference.base
        (scoped_type_identifier
          path: (_) @receiver
          name: (type_identifier) @reference.base)
      ])
  ])

(trait_item
  bounds: (trait_bounds
    [
      (type_identifier) @reference.base
      (scoped_type_identifier
        path: (_) @receiver
        name: (type_identifier) @reference.base)
      (generic_type
        type: [
          (type_identifier) @reference.base
          (scoped_type_identifier
            path: (_) @receiver
            name: (type_identifier) @reference.base)
        ])
    ]))

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
    (scoped_identifier
      path: (_) @receiver
      name: (identifier) @reference.type)
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
  path: (scoped_identifier
    path: (_) @receiver
    name: (identifier) @reference.type))
  (#match? @reference.type "^[A-Z]"))

((scoped_type_identifier
  path: (identifier) @reference.type)
  (#match? @reference.type "^(?!Self$)[A-Z]"))

((scoped_type_identifier
  path: (scoped_identifier
    path: (_) @receiver
    name: (identifier) @reference.type))
  (#match? @reference.type "^[A-Z]"))

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

(let_declaration
  pattern: (identifier) @binding
  value: (struct_expression
    name: (_) @binding.type))

(let_declaration
  pattern: (identifier) @binding
  value: (call_expression
    function: [
      (field_expression) @binding.call
      (generic_function
        function: (_) @binding.call)
      (identifier) @binding.call
      (scoped_identifier) @binding.call
    ]))

(let_declaration
  pattern: (identifier) @binding
  value: (try_expression
    (call_expression
      function: [
        (field_expression) @binding.call
        (generic_function
          function: (_) @binding.call)
        (identifier) @binding.call
        (scoped_identifier) @binding.call
      ])))

(let_declaration
  pattern: (identifier) @binding
  value: (await_expression
    (call_expression
      function: [
        (field_expression) @binding.call
        (generic_function
          function: (_) @binding.call)
        (identifier) @binding.call
        (scoped_identifier) @binding.call
      ])))

(let_declaration
  pattern: (identifier) @binding
  value: (try_expression
    (await_expression
      (call_expression
        function: [
          (field_expression) @binding.call
          (generic_function
            function: (_) @binding.call)
          (identifier) @binding.call
          (scoped_identifier) @binding.call
        ]))))

; Imports: a group inside a group inside a group is as deep as this looks.

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
        (scoped_identifier
          path: (_) @import.module
          name: (identifier) @import.name)
        (use_as_clause
          path: (scoped_identifier
            path: (_) @import.module
            name: (identifier) @import.name)
          alias: (_) @import.alias)
        (use_wildcard
          (_) @import.module
          "*" @import.name)
        (scoped_use_list
          path: (_) @import.module
          list: (use_list
            (identifier) @import.name))
      ])
  ]) @import

(use_declaration
  argument: (scoped_use_list
    path: (_) @import.module
    list: (use_list
      [
        (identifier) @import.name
        (self) @_self
        (scoped_identifier
          path: (_) @import.module
          name: (identifier) @import.name)
        (use_wildcard
          (_)? @import.module
          "*" @import.name)
        (use_as_clause
          path: [
            (identifier) @import.name
            (self) @_self
            (scoped_identifier
              path: (_) @import.module
              name: (identifier) @import.name)
          ]
          alias: (_) @import.alias)
        (scoped_use_list
          path: (_) @import.module
          list: (use_list
            [
              (identifier) @import.name
              (self) @_self
              (scoped_identifier
                path: (_) @import.module
                name: (identifier) @import.name)
              (use_wildcard
                (_)? @import.module
                "*" @import.name)
              (use_as_clause
                path: [
                  (identifier) @import.name
                  (self) @_self
                  (scoped_identifier
                    path: (_) @import.module
                    name: (identifier) @import.name)
                ]
                alias: (_) @import.alias)
              (scoped_use_list
                path: (_) @import.module
                list: (use_list
                  [
                    (identifier) @import.name
                    (self) @_self
                    (scoped_identifier
                      path: (_) @import.module
                      name: (identifier) @import.name)
                    (use_wildcard
                      (_)? @import.module
                      "*" @import.name)
                    (use_as_clause
                      path: [
                        (identifier) @import.name
                        (self) @_self
                        (scoped_identifier
                          path: (_) @import.module
                          name: (identifier) @import.name)
                      ]
                      alias: (_) @import.alias)
                  ]))
            ]))
      ]))) @import
