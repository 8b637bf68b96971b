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

; The kinds of patterns are named: a place for any node would hold every name that is assigned to.
(expression_statement
  .
  (assignment
    .
    left: [
      (identifier) @name
      (pattern_list
        [
          (identifier) @name
          (_
            !attribute
            !value
            [
              (identifier) @name
              (_
                !attribute
                !value
                [
                  (identifier) @name
                  (_
                    !attribute
                    !value
                    (identifier) @name)
                ])
            ])
        ])
      (tuple_pattern
        [
          (identifier) @name
          (_
            !attribute
            !value
            [
              (identifier) @name
              (_
                !attribute
                !value
                [
                  (identifier) @name
                  (_
                    !attribute
                    !value
                    (identifier) @name)
                ])
            ])
        ])
      (list_pattern
        [
          (identifier) @name
          (_
            !attribute
            !value
            [
              (identifier) @name
              (_
                !attribute
                !value
                [
                  (identifier) @name
                  (_
                    !attribute
                    !value
                    (identifier) @name)
                ])
            ])
        ])
    ]
    right: (_)? @value)) @definition.variable

; Chained: `a = b = c = 1`. One pattern: each one would begin anew at every statement.
(expression_statement
  .
  (assignment
    right: [
      (assignment
        left: [
          (identifier) @name
          (_
            !attribute
            !value
            [
              (identifier) @name
              (_
                !attribute
                !value
                (identifier) @name)
            ])
        ]
        right: (_) @value)
      (assignment
        right: [
          (assignment
            left: (identifier) @name
            right: (_) @value)
          (assignment
            right: [
              (assignment
                left: (identifier) @name
                right: (_) @value)
              (assignment
                right: [
                  (assignment
                    left: (identifier) @name
                    right: (_) @value)
                  (assignment
                    right: (assignment
                      left: (identifier) @name
                      right: (_) @value))
                ])
            ])
        ])
    ])) @definition.variable

; Type parameters: declared between brackets, local to what follows, so no symbols and no uses

(_
  type_parameters: (type_parameter
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

(_
  type_parameters: (type_parameter) @local)

(type_alias_statement
  left: (type
    (generic_type
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
          ]) @definition.variable))))

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
    (identifier) @binding @binding.type
    (default_parameter
      name: (identifier) @binding @binding.type)
    (list_splat_pattern
      (identifier) @binding @binding.type)
    (dictionary_splat_pattern
      (identifier) @binding @binding.type)
  ]
  (#not-match? @binding "^(self|cls)$"))

(for_statement
  left: (identifier) @binding @binding.type)

(function_definition
  name: (identifier) @binding
  parameters: (parameters)
  .
  return_type: (type) @binding.type)

(assignment
  .
  left: [
    (identifier)
    (attribute)
  ] @binding
  .
  type: (type) @binding.type)

(assignment
  .
  left: [
    (identifier)
    (attribute)
  ] @binding
  .
  right: [
    (call
      function: [
        (identifier)
        (attribute)
      ] @binding.call)
    (await
      (call
        function: [
          (identifier)
          (attribute)
        ] @binding.call))
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
  value: (call
    function: [
      (identifier)
      (attribute)
    ] @binding.call))

; References

(class_definition
  superclasses: (argument_list
    [
      (identifier) @reference.base
      (attribute
        object: (_) @receiver
        attribute: (identifier) @reference.base)
      (subscript
        value: [
          (identifier) @reference.base
          (attribute
            object: (_) @receiver
            attribute: (identifier) @reference.base)
        ])
    ]))

(class_definition
  superclasses: (argument_list
    (keyword_argument
      name: (identifier) @_keyword
      value: [
        (identifier) @reference.base
        (attribute
          object: (_) @receiver
          attribute: (identifier) @reference.base)
      ]))
  (#eq? @_keyword "metaclass"))

(call
  function: [
    (identifier) @reference.call
    (attribute
      object: (_) @receiver
      attribute: (identifier) @reference.call)
    (subscript
      value: [
        (identifier) @reference.call
        (attribute
          object: (_) @receiver
          attribute: (identifier) @reference.call)
      ])
  ])

(decorator
  [
    (identifier) @reference.call
    (attribute
      object: (_) @receiver
      attribute: (identifier) @reference.call)
  ])

; A type is an expression: names in it stand below unions, subscripts and lists of any depth

(type
  [
    (identifier) @reference.type
    (attribute
      object: (_) @receiver
      attribute: (identifier) @reference.type)
    (_
      !attribute
      !function
      [
        (identifier) @reference.type
        (attribute
          object: (_) @receiver
          attribute: (identifier) @reference.type)
        (_
          !attribute
          !function
          [
            (identifier) @reference.type
            (attribute
              object: (_) @receiver
              attribute: (identifier) @reference.type)
            (_
              !attribute
              !function
              [
                (identifier) @reference.type
                (attribute
                  object: (_) @receiver
                  attribute: (identifier) @reference.type)
                (_
                  !attribute
                  !function
                  [
                    (identifier) @reference.type
                    (attribute
                      object: (_) @receiver
                      attribute: (identifier) @reference.type)
                    (_
                      !attribute
                      !function
                      [
                        (identifier) @reference.type
                        (attribute
                          object: (_) @receiver
                          attribute: (identifier) @reference.type)
                      ])
                  ])
              ])
          ])
      ])
  ])

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
      subscript: [
        (identifier) @reference.type
        (attribute
          object: (_) @receiver
          attribute: (identifier) @reference.type)
        (_
          !attribute
          !function
          [
            (identifier) @reference.type
            (attribute
              object: (_) @receiver
              attribute: (identifier) @reference.type)
            (_
              !attribute
              !function
              [
                (identifier) @reference.type
                (attribute
                  object: (_) @receiver
                  attribute: (identifier) @reference.type)
              ])
          ])
      ])))

(except_clause
  value: [
    (identifier) @reference.type
    (attribute
      object: (_) @receiver
      attribute: (identifier) @reference.type)
    (tuple
      [
        (identifier) @reference.type
        (attribute
          object: (_) @receiver
          attribute: (identifier) @reference.type)
      ])
    (as_pattern
      .
      [
        (identifier) @reference.type
        (attribute
          object: (_) @receiver
          attribute: (identifier) @reference.type)
        (tuple
          [
            (identifier) @reference.type
            (attribute
              object: (_) @receiver
              attribute: (identifier) @reference.type)
          ])
      ])
  ])

; What is raised without a call is a class, or else a variable
(raise_statement
  .
  [
    (identifier) @reference.type
    (attribute
      object: (_) @receiver
      attribute: (identifier) @reference.type)
  ]
  (#match? @reference.type "^[A-Z]"))

(class_pattern
  (dotted_name
    (identifier) @receiver
    .
    (identifier) @reference.type .))

(class_pattern
  (dotted_name
    (identifier) @reference.type .))

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
  name: [
    (dotted_name) @import.name
    (aliased_import
      name: (dotted_name) @import.name
      alias: (identifier) @import.alias)
  ]) @import

(import_from_statement
  module_name: (_) @import.module
  (wildcard_import) @import.name) @import

(future_import_statement
  "__future__" @import.module
  name: [
    (dotted_name) @import.name
    (aliased_import
      name: (dotted_name) @import.name
      alias: (identifier) @import.alias)
  ]) @import
