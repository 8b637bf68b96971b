; The last part of a type's name: of `A.B` and of `A.B<C>` it is `B`
(define.last_part
  [
    (user_type
      (argument.1)
      .)
    (user_type
      (argument.1)
      .
      (type_arguments)
      .)
  ])

; with what stands in front of it
(define.last_part_of
  [
    (user_type
      (type_identifier) @receiver
      .
      (argument.1)
      .)
    (user_type
      (type_identifier) @receiver
      .
      (argument.1)
      .
      (type_arguments)
      .)
  ])

; Declarations: types

(class_declaration
  declaration_kind: [
    "actor"
    "class"
  ]
  name: (type_identifier) @name
  body: (_) @body
  (#set! strip "`")) @definition.class

(class_declaration
  declaration_kind: "struct"
  name: (type_identifier) @name
  body: (_) @body
  (#set! strip "`")) @definition.struct

(class_declaration
  declaration_kind: "enum"
  name: (type_identifier) @name
  body: (_) @body
  (#set! strip "`")) @definition.enum

; An extension is named after the type it extends: the last part, without generic arguments
(define.extension_of
  (class_declaration
    declaration_kind: "extension"
    name: (argument.1)
    body: (_) @body) @definition.class)

(use.extension_of
  (user_type
    .
    (type_identifier) @container
    .
    (type_identifier) @name
    .))

(use.extension_of
  (user_type
    .
    (type_identifier) @container
    .
    (type_identifier) @name
    .
    (type_arguments)
    .))

(use.extension_of
  (user_type
    .
    (type_identifier) @container
    .
    (type_arguments)
    .
    (type_identifier) @name
    .))

(use.extension_of
  (user_type
    .
    (type_identifier) @container
    .
    (type_identifier) @container
    .
    (type_identifier) @name
    .))

(use.extension_of (use.last_part (type_identifier) @name))

(use.extension_of
  [
    (array_type)
    (dictionary_type)
    (optional_type)
  ] @name)

(protocol_declaration
  name: (type_identifier) @name
  body: (_) @body
  (#set! strip "`")) @definition.interface

(typealias_declaration
  name: (type_identifier) @name
  (#set! strip "`")) @definition.type

(associatedtype_declaration
  name: (type_identifier) @name
  (#set! strip "`")) @definition.type

(enum_entry
  name: (simple_identifier) @name
  (#set! strip "`")) @definition.constant

; Declarations: functions

(function_declaration
  "func"
  .
  name: _ @name
  body: (function_body) @body
  (#set! strip "`")) @definition.function

(protocol_function_declaration
  "func"
  .
  name: _ @name
  (#set! strip "`")) @definition.method

(init_declaration
  name: "init" @name
  body: (function_body)? @body) @definition.constructor

(deinit_declaration
  "deinit" @name
  body: (function_body) @body) @definition.method

(macro_declaration
  "macro"
  .
  (simple_identifier) @name
  (#set! strip "`")) @definition.macro

; Declarations: subscripts and computed properties, with the accessors they have

(protocol_body
  (subscript_declaration
    "subscript" @name) @definition.method)

(subscript_declaration
  "subscript" @name
  (computed_property
    (computed_getter)
    (computed_setter)) @body
  (#set! placeholder "{ get {} set {} }")) @definition.method

(subscript_declaration
  "subscript" @name
  (computed_property) @body) @definition.method

(protocol_property_declaration
  name: (pattern
    bound_identifier: (simple_identifier) @name)
  (#set! strip "`")) @definition.property

(define.computed_property
  (property_declaration
    name: (pattern
      bound_identifier: (simple_identifier) @name)
    computed_value: (argument.1) @body
    (#set! strip "`")) @definition.property)

(use.computed_property
  (computed_property
    (computed_getter)
    (computed_setter
      (setter_specifier
        (mutation_modifier)))
    (#set! placeholder "{ get {} nonmutating set {} }")))

(use.computed_property
  (computed_property
    (computed_getter)
    (computed_setter)
    (#set! placeholder "{ get {} set {} }")))

(use.computed_property
  (computed_property
    (computed_getter
      (getter_specifier
        "async"
        (throws)))
    (#set! placeholder "{ get async throws {} }")))

(use.computed_property
  (computed_property
    (computed_getter
      (getter_specifier
        "async"))
    (#set! placeholder "{ get async {} }")))

(use.computed_property
  (computed_property
    (computed_getter
      (getter_specifier
        (throws)))
    (#set! placeholder "{ get throws {} }")))

(use.computed_property (computed_property))

; Declarations: stored properties; `let` at the top of the file and `static let` are constants

(define.let
  (value_binding_pattern
    mutability: "let"))

; With its type and value behind each name
(define.stored
  name: (argument.1)
  .
  (type_annotation)?
  .
  value: (_)? @value
  (#set! strip "`"))

(define.stored_property
  (source_file
    (property_declaration
      (use.let)
      (use.stored (argument.1))) @definition.constant)

  (property_declaration
    (modifiers
      (property_modifier
        "static"))
    (use.let)
    (use.stored (argument.1))) @definition.constant

  (property_declaration
    (use.stored (argument.1))) @definition.variable)

(use.stored_property
  (pattern
    (simple_identifier) @name))

; `let (a, (b, c)) = …`
(use.stored_property
  (pattern
    "(") @name.within)

; Type parameters: a pack is declared in the form of a use; local, so no symbol

(type_parameter
  (type_parameter_pack
    (user_type
      (type_identifier) @name))) @definition.variable

(type_parameters) @local

; What stands around declarations

(modifiers
  (attribute) @decorator)

(comment) @comment

(multiline_comment) @comment

(lambda_literal) @local

[
  (do_statement)
  (for_statement)
  (guard_statement)
  (if_statement)
  (repeat_while_statement)
  (switch_statement)
  (while_statement)
] @local

; The first pattern that fits a block of observers gives what stands for it

(willset_didset_block
  (willset_clause)
  (didset_clause)
  (#set! placeholder "{ willSet {} didSet {} }")) @body

(willset_didset_block
  (didset_clause)
  (willset_clause)
  (#set! placeholder "{ willSet {} didSet {} }")) @body

(willset_didset_block
  (willset_clause)
  (#set! placeholder "{ willSet {} }")) @body

(willset_didset_block
  (didset_clause)
  (#set! placeholder "{ didSet {} }")) @body

; References: what an extension adds to is what it is named after

(class_declaration
  declaration_kind: "extension"
  name: (use.last_part (type_identifier) @reference.base))

; References: what a type inherits from and conforms to

(inheritance_specifier
  inherits_from: (use.last_part_of (type_identifier) @reference.base))

(inheritance_specifier
  inherits_from: (use.last_part (type_identifier) @reference.base))

(suppressed_constraint
  suppressed: (type_identifier) @reference.type)

; References: calls. A subscript `values[key]` has the form of one, in brackets. Whose `.member(…)`
; is is said elsewhere: the dot stands for it.

(call_expression
  .
  [
    (simple_identifier) @reference.call
    (navigation_expression
      target: (_) @receiver
      suffix: (navigation_suffix
        suffix: (simple_identifier) @reference.call))
    (prefix_expression
      operation: "." @receiver
      target: (simple_identifier) @reference.call)
  ]
  (call_suffix
    .
    [
      (value_arguments
        "(") @arguments
      (lambda_literal) @arguments
    ]
    (lambda_literal)* @arguments))

(constructor_expression
  constructed_type: (use.last_part_of (type_identifier) @reference.call))

(constructor_expression
  constructed_type: (use.last_part (type_identifier) @reference.call))

; A macro has no function's name: `#expect` is not `expect`.
(macro_invocation
  "#" @receiver
  .
  (simple_identifier) @reference.call)

; References: types. So are attributes written, those that the compiler knows as well.

((user_type
  (type_identifier) @receiver
  .
  (type_identifier) @reference.type)
  (#not-match? @reference.type "^(Type|Protocol)$"))

(user_type
  (type_arguments)
  .
  (type_identifier) @reference.type)

(user_type
  .
  (type_identifier) @reference.type)

(define.read_of_type
  (navigation_expression
    target: (simple_identifier) @reference.type))

; Only its case tells a type in front of a static member from a variable. A call has it as its
; receiver.
([
  (assignment
    (use.read_of_type))
  (control_transfer_statement
    (use.read_of_type))
  (equality_expression
    (use.read_of_type))
  (property_declaration
    (use.read_of_type))
  (value_argument
    (use.read_of_type))
]
  (#match? @reference.type "^[A-Z]"))

; Bindings

(define.declared_type
  [
    (existential_type)
    (opaque_type)
    (optional_type)
    (user_type)
  ])

; A function, in a protocol or not. To name the node would cost more than to compile all the rest.
(_
  "func"
  .
  name: (simple_identifier) @binding
  (use.declared_type) @binding.type)

(parameter
  (simple_identifier) @binding
  .
  (parameter_modifiers)?
  .
  (use.declared_type) @binding.type)

(lambda_parameter
  (simple_identifier) @binding
  .
  (use.declared_type) @binding.type)

(define.typed_name
  name: (pattern
    bound_identifier: (simple_identifier) @binding)
  .
  (type_annotation
    (use.declared_type) @binding.type))

(property_declaration
  (use.typed_name))

(protocol_property_declaration
  (use.typed_name))

(define.call
  (call_expression
    .
    [
      (navigation_expression)
      (simple_identifier)
    ] @binding.call
    (call_suffix
      (value_arguments
        "("))))

(define.awaited_call
  (await_expression
    expr: (use.call)))

(property_declaration
  name: (pattern
    bound_identifier: (simple_identifier) @binding)
  .
  value: [
    (use.call)
    (constructor_expression
      constructed_type: (_) @binding.type)
    (try_expression
      expr: [
        (use.call)
        (use.awaited_call)
      ])
    (use.awaited_call)
    (as_expression
      (as_operator)
      .
      (_) @binding.type)
  ])

(typealias_declaration
  name: (type_identifier) @binding
  "="
  [
    (existential_type)
    (optional_type)
    (user_type)
  ] @binding.type)

; Imports: `import Module`, `import Module.Submodule`, `import struct Module.Name`

((import_declaration
  (identifier) @import.module) @import
  (#not-match? @import "import\\s+(struct|class|enum|protocol|typealias|func|let|var)\\s"))

(define.kind_word
  [
    "class"
    "enum"
    "func"
    "let"
    "protocol"
    "struct"
    "typealias"
    "var"
  ])

(import_declaration
  (use.kind_word)
  (identifier
    .
    (simple_identifier) @import.module
    .
    (simple_identifier) @import.name
    .)) @import

(import_declaration
  (use.kind_word)
  (identifier
    .
    (simple_identifier) @import.module
    .
    (simple_identifier) @import.module
    .
    (simple_identifier) @import.name
    .)) @import
