; Declarations
;
; A declaration may have several declarators, so the definition is the declarator and the statement
; around it its wrapper. A declarator may be nested at will; the name is its innermost part, found
; by `[names]` in `language.toml`.

((function_definition
  declarator: (_) @name.within
  body: (compound_statement) @body) @definition.function
  (#set! through "function_declarator"))

(use.function_as_parameter)

(use.function_behind_macro)

((function_declarator
  declarator: [
    (identifier) @name
    (parenthesized_declarator
      (identifier) @name)
  ]) @definition.function
  (#set! local "drop"))

(use.unnamed_types_with_typedef)

(struct_specifier
  name: (type_identifier) @name
  body: (field_declaration_list) @body) @definition.struct

(union_specifier
  name: (type_identifier) @name
  body: (field_declaration_list) @body) @definition.struct

(use.struct_behind_macro)

(enum_specifier
  name: (type_identifier) @name
  body: (enumerator_list) @body) @definition.enum

(use.enumerator)

(use.typedef)

[
  (use.declarator_of
    (type_identifier) @name)
  (function_declarator
    declarator: (type_identifier) @name)
] @definition.type

(field_declaration
  declarator: (field_identifier) @name @definition.field)

[
  (use.declarator_of
    (field_identifier) @name)
  (function_declarator
    declarator: (field_identifier) @name)
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

; Not where brackets stand around the name alone: a macro looks like that, `SEQUENCE(name) = { … };`
(init_declarator
  declarator: [
    (identifier)
    (attributed_declarator)
    (_
      declarator: (_))
  ] @name.within
  value: (_) @value) @definition.variable

(declaration
  declarator: (identifier) @name @definition.variable)

[
  (use.declarator_of
    (identifier) @name)
] @definition.variable

(use.variables_that_look_like_calls)

(use.function_that_looks_like_a_call)

(use.macros)

; What stands around declarations

[
  (use.wrappers)
] @wrapper

(linkage_specification
  body: (declaration_list) @body) @scope

(use.decorators_and_comments)

(parameter_list) @local

; Parameters of a definition in the old style
(function_definition
  (declaration) @local)

(use.semicolon_after_type)

(use.statements_of_macros)

; References

(use.types_that_look_like_functions)

(use.calls)

(use.calls_in_macros)

(macro_type_specifier
  name: (identifier) @reference.call)

(_
  type: (type_identifier) @reference.type)

(struct_specifier
  (use.named_type))

(union_specifier
  (use.named_type))

(enum_specifier
  (use.named_type))

(use.values (identifier) @reference.value)

; Names whose type is plain

; A variable, parameter, field or function: all of them have a type and a declarator.
(define.typed
  (_
    type: [
      (type_identifier) @binding.type
      (struct_specifier
        name: (type_identifier) @binding.type)
      (union_specifier
        name: (type_identifier) @binding.type)
    ]
    declarator: (argument.1)))

(define.variable_or_field
  [
    (field_identifier)
    (identifier)
  ] @binding)

(use.typed
  (use.variable_or_field))

(use.typed
  (pointer_declarator
    declarator: (use.variable_or_field)))

(use.typed
  (init_declarator
    declarator: (identifier) @binding))

(use.typed
  (init_declarator
    declarator: (pointer_declarator
      declarator: (identifier) @binding)))

(use.typed
  (function_declarator
    declarator: (identifier) @binding))

(use.typed
  (pointer_declarator
    declarator: (function_declarator
      declarator: (identifier) @binding)))

; A parameter of any other type is bound to itself: it hides what else has its name.
(parameter_declaration
  type: (primitive_type)
  declarator: [
    (identifier) @binding
    (pointer_declarator
      declarator: (identifier) @binding)
  ])

; Imports

(use.include)
