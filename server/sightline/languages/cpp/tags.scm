; Declarations
;
; A declaration may have several declarators, so the definition is the declarator and the statement
; around it its wrapper. A declarator may be nested at will; the name is its innermost part, found
; by `[names]` in `language.toml`.

; A constructor: in its class by name or by having no type, out of line as `A::A`
(define.constructor_declarator
  declarator: (function_declarator
    declarator: (identifier) @name))

; A function ends with a body, or with what stands for one
(define.body_or_clause
  [
    (compound_statement) @body
    (try_statement) @body
    (default_method_clause)
    (delete_method_clause)
    (pure_virtual_clause)
  ])

((field_declaration
  declarator: (function_declarator
    declarator: (field_identifier) @name)) @definition.constructor
  (#set! only "named_like_type"))

((template_declaration
  (declaration
    (use.constructor_declarator)) @definition.constructor)
  (#set! only "named_like_type"))

((declaration
  !type
  (use.constructor_declarator)) @definition.constructor
  (#match? @name "^[A-Z0-9_]+$")
  (#set! only "named_like_type"))

((function_definition
  !type
  (use.constructor_declarator)
  (use.body_or_clause)) @definition.function
  (#set! constructor "in_type"))

; A deduction guide
(declaration
  !type
  declarator: (function_declarator
    declarator: (identifier) @name
    (trailing_return_type))) @definition.function

; An unknown macro looks the same, but for its name
((declaration
  !type
  (use.constructor_declarator)) @definition.constructor
  (#not-match? @name "^[A-Z0-9_]+$"))

; In a type that looks like a function: `struct EXPORT Options { … };`
(define.call_like_constructor
  (expression_statement
    (call_expression
      function: (identifier) @name)) @definition.constructor)

((function_definition
  type: [
    (class_specifier)
    (struct_specifier)
  ]
  declarator: (identifier) @_class
  body: (compound_statement
    [
      (use.call_like_constructor)
      (labeled_statement
        (use.call_like_constructor))
    ]))
  (#eq? @_class @name))

; A conversion: `operator bool`
(define.conversion
  (operator_cast
    "operator" @name
    type: (_) @name
    declarator: [
      (abstract_function_declarator)
      (abstract_pointer_declarator
        "*" @name
        declarator: (abstract_function_declarator))
      (abstract_pointer_declarator
        declarator: (abstract_pointer_declarator
          "*" @name
          declarator: (abstract_function_declarator)))
      (abstract_reference_declarator
        [
          "&" @name
          "&&" @name
        ])
    ]))

(define.member_of
  (qualified_identifier
    scope: (_) @container
    name: (argument.1)))

(function_definition
  declarator: [
    (use.conversion)
    (use.member_of
      (use.conversion))
    (use.member_of
      (use.member_of
        (use.conversion)))
  ]
  (use.body_or_clause)) @definition.function

(declaration
  declarator: (use.conversion)) @definition.function

((function_definition
  declarator: (_) @name.within
  (use.body_or_clause)) @definition.function
  (#set! through "function_declarator")
  (#set! constructor "named_like_type"))

(use.function_as_parameter)

; A friend is no member. One that is a member of another class is declared there.
(define.friend
  (function_declarator
    declarator: [
      (identifier)
      (operator_name)
      (template_function)
    ] @name.within) @definition.function)

(friend_declaration
  (declaration
    declarator: [
      (use.friend)
      (_
        (use.friend))
    ]))

(use.function_behind_macro)

; In a function `Lock lock(mutex);` is a variable, and looks the same
((function_declarator
  declarator: [
    (identifier) @name
    (field_identifier) @name
    (operator_name) @name
    (destructor_name) @name
    (template_function) @name.within
    (template_method) @name.within
    (qualified_identifier) @name.within
    (parenthesized_declarator
      (identifier) @name)
  ]) @definition.function
  (#set! local "drop"))

; A function bound to a name
((init_declarator
  declarator: (identifier) @name
  value: (lambda_expression
    body: (compound_statement) @body)) @definition.function
  (#set! local "drop"))

(namespace_definition
  name: (namespace_identifier) @name
  body: (declaration_list) @body) @definition.module

; `namespace a::b::c` is one of each, the outermost first
(define.namespace_in
  (nested_namespace_specifier
    (namespace_identifier) @container
    (argument.1)))

(define.first_namespace
  [
    (namespace_identifier) @name
    (nested_namespace_specifier
      .
      (namespace_identifier) @name)
  ])

(namespace_definition
  name: [
    (nested_namespace_specifier
      .
      (namespace_identifier) @name)
    (use.namespace_in
      (use.first_namespace))
    (use.namespace_in
      (use.namespace_in
        (use.first_namespace)))
    (use.namespace_in
      (use.namespace_in
        (use.namespace_in
          (namespace_identifier) @name)))
  ]
  body: (declaration_list) @body) @definition.module

(use.unnamed_types_with_typedef)

(class_specifier
  name: (_) @name.within
  body: (field_declaration_list) @body) @definition.class

(struct_specifier
  name: (_) @name.within
  body: (field_declaration_list) @body) @definition.struct

(union_specifier
  name: (_) @name.within
  body: (field_declaration_list) @body) @definition.struct

(use.struct_behind_macro)

((function_definition
  type: (class_specifier
    !body)
  declarator: (identifier) @name
  body: (compound_statement) @body) @definition.class
  (#set! local "drop"))

(enum_specifier
  name: (_) @name.within
  body: (enumerator_list) @body) @definition.enum

(use.enumerator)

(alias_declaration
  name: (type_identifier) @name) @definition.type

(concept_definition
  name: (identifier) @name) @definition.type

(use.typedef)

[
  (use.declarator_of
    (type_identifier) @name)
  (reference_declarator
    (type_identifier) @name)
  (function_declarator
    declarator: (type_identifier) @name)
] @definition.type

(field_declaration
  (type_qualifier
    "constexpr")
  declarator: [
    (field_identifier) @name
    (_
      declarator: (field_identifier) @name)
  ] @definition.constant
  .
  default_value: (_) @value)

(field_declaration
  (storage_class_specifier
    "static")
  (type_qualifier
    [
      "const"
      "constexpr"
    ])
  declarator: [
    (field_identifier) @name @definition.constant
    (array_declarator
      declarator: (field_identifier) @name) @definition.constant
  ])

(field_declaration
  declarator: [
    (field_identifier) @name
    (_
      declarator: (field_identifier) @name)
    (_
      declarator: (_
        declarator: (field_identifier) @name))
  ] @definition.field
  .
  default_value: (_) @value)

(field_declaration
  declarator: (field_identifier) @name @definition.field)

[
  (use.declarator_of
    (field_identifier) @name)
  (reference_declarator
    (field_identifier) @name)
] @definition.field

(declaration
  (type_qualifier
    [
      "const"
      "constexpr"
      "constinit"
    ])
  declarator: [
    (identifier) @name @definition.constant
    (array_declarator
      declarator: (identifier) @name) @definition.constant
    (init_declarator
      declarator: [
        (identifier) @name
        (template_function
          name: (identifier) @name)
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
    (qualified_identifier)
    (reference_declarator
      (identifier))
    (template_function)
    (_
      declarator: (_))
  ] @name.within
  value: (_) @value) @definition.variable

; A member that is defined out of line: `int Foo::count;`
(declaration
  declarator: [
    (qualified_identifier)
    (array_declarator
      declarator: (qualified_identifier))
    (pointer_declarator
      declarator: (qualified_identifier))
  ] @name.within @definition.variable)

(declaration
  declarator: [
    (identifier)
    (template_function)
  ] @name.within @definition.variable)

(structured_binding_declarator
  (identifier) @name @definition.variable)

[
  (use.declarator_of
    (identifier) @name)
  (reference_declarator
    (identifier) @name)
] @definition.variable

(use.variables_that_look_like_calls)

(use.function_that_looks_like_a_call)

(use.macros)

; What stands around declarations

[
  (use.wrappers)
  (reference_declarator
    (_) @wrapped)
  (structured_binding_declarator
    (identifier) @wrapped)
  (template_declaration
    [
      (alias_declaration)
      (class_specifier)
      (concept_definition)
      (declaration)
      (friend_declaration)
      (function_definition)
      (struct_specifier)
      (template_declaration)
      (union_specifier)
    ] @wrapped)
  (friend_declaration
    [
      (declaration)
      (function_definition)
    ] @wrapped)
] @wrapper

(linkage_specification
  body: (declaration_list) @body) @scope

(namespace_definition
  !name
  body: (declaration_list) @body) @scope

(use.decorators_and_comments)

(parameter_list) @local

(template_parameter_list) @local

(friend_declaration) @local

(template_instantiation) @local

; An unknown macro among members: `Q_DISABLE_COPY(Foo);`
((declaration
  !type
  declarator: (function_declarator
    declarator: (identifier) @_macro)) @local
  (#match? @_macro "^[A-Z0-9_]+$"))

; What a constructor does before its body
((field_initializer_list) @body
  (#set! placeholder ""))

(lambda_expression
  body: (compound_statement) @body)

(use.semicolon_after_type)

(use.statements_of_macros)

(declaration_list
  (compound_statement) @body)

; References

(use.types_that_look_like_functions)

(define.call_of
  (_
    function: (argument.1)
    arguments: (_) @arguments))

(use.calls)

(use.calls_in_macros)

(use.call_of
  (field_expression
    argument: (_) @receiver
    field: [
      (template_method
        name: (_) @reference.call)
      (dependent_name
        (template_method
          name: (_) @reference.call))
    ]))

; The innermost qualifier is what has the function as its member.
(define.called_member
  (qualified_identifier
    scope: (_) @receiver
    name: [
      (identifier) @reference.call
      (template_function
        name: (identifier) @reference.call)
    ]))

(use.call_of (use.called_member))

(use.call_of
  (qualified_identifier
    name: (use.called_member)))

(use.call_of
  (qualified_identifier
    name: (qualified_identifier
      name: (use.called_member))))

((use.call_of
  (template_function
    name: (identifier) @reference.call))
  (#not-match? @reference.call "^(const|dynamic|reinterpret|static)_cast$"))

(define.base
  (type_identifier) @reference.base
  (template_type
    name: (type_identifier) @reference.base))

(define.base_in_scope
  (qualified_identifier
    scope: (_) @receiver
    name: [
      (use.base)
    ]))

(base_class_clause
  [
    (use.base)
    (use.base_in_scope)
    (qualified_identifier
      name: (use.base_in_scope))
  ])

(define.template
  (template_type
    name: (type_identifier) @reference.type))

(define.plain_or_template
  [
    (type_identifier) @reference.type
    (use.template)
  ])

(_
  type: (use.plain_or_template))

(_
  constraint: (use.plain_or_template))

(_
  default_type: (type_identifier) @reference.type)

(_
  scope: (use.template))

(enum_specifier
  base: (type_identifier) @reference.type)

(dependent_type
  (use.plain_or_template))

(friend_declaration
  (type_identifier) @reference.type)

(class_specifier
  name: (use.plain_or_template)
  !body)

(struct_specifier
  name: (use.plain_or_template)
  !body)

(union_specifier
  (use.named_type))

(enum_specifier
  (use.named_type))

(qualified_identifier
  scope: (_) @receiver
  name: (use.plain_or_template))

(use.values (identifier) @reference.value)

(use.values
  (qualified_identifier
    scope: (_) @receiver
    name: (identifier) @reference.value))

; Names whose type is plain

(define.variable_or_field
  (field_identifier) @binding
  (identifier) @binding)

(define.typed_function
  (function_declarator
    declarator: [
      (use.variable_or_field)
      (qualified_identifier
        name: [
          (identifier) @binding
          (qualified_identifier
            name: (identifier) @binding)
        ])
    ]))

; A variable, parameter, field or function: all of them have a type and a declarator. Built-in types
; tell overloads apart. One pattern: several would be compared with all types one by one.
(_
  type: [
    (primitive_type) @binding.type
    (qualified_identifier) @binding.type
    (sized_type_specifier) @binding.type
    (template_type) @binding.type
    (type_identifier) @binding.type
    (class_specifier
      name: (type_identifier) @binding.type)
    (struct_specifier
      name: (type_identifier) @binding.type)
  ]
  declarator: [
    (use.variable_or_field)
    (use.typed_function)
    (pointer_declarator
      declarator: [
        (use.variable_or_field)
        (use.typed_function)
      ])
    (reference_declarator
      [
        (identifier) @binding
        (use.typed_function)
      ])
    (init_declarator
      declarator: [
        (identifier) @binding
        (pointer_declarator
          declarator: (identifier) @binding)
        (reference_declarator
          (identifier) @binding)
      ])
  ])

; `auto` is what its value is.
(_
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: [
      (identifier) @binding
      (pointer_declarator
        declarator: (identifier) @binding)
      (reference_declarator
        (identifier) @binding)
    ]
    value: [
      (call_expression
        function: [
          (field_expression)
          (identifier)
          (qualified_identifier
            name: [
              (identifier)
              (qualified_identifier
                name: (identifier))
            ])
        ] @binding.call)
      (compound_literal_expression
        type: (_) @binding.type)
      (new_expression
        type: (_) @binding.type)
      ; `std::make_unique<T>(…)`
      (call_expression
        function: (qualified_identifier
          name: (template_function
            arguments: (template_argument_list
              .
              (type_descriptor
                type: (_) @binding.type)
              .))))
    ]))

; Imports

(use.include)

(using_declaration
  "namespace"
  [
    (identifier)
    (qualified_identifier)
  ] @import.module) @import

((using_declaration
  (qualified_identifier
    scope: (_) @import.module
    name: [
      (identifier) @import.name
      (operator_name) @import.name
      (qualified_identifier
        scope: (_) @import.module
        name: [
          (identifier) @import.name
          (operator_name) @import.name
          (qualified_identifier
            scope: (_) @import.module
            name: (identifier) @import.name)
        ])
    ])) @import
  (#not-match? @import "^using\\s+(namespace|enum)\\s"))

(using_declaration
  "enum"
  [
    (identifier)
    (qualified_identifier)
  ] @import.module) @import

(namespace_alias_definition
  name: (namespace_identifier) @import.alias
  [
    (namespace_identifier)
    (nested_namespace_specifier)
  ] @import.module) @import
