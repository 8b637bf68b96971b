; Declarations
;
; A declaration may have several declarators, so the definition is the declarator and the statement
; around it its wrapper. A declarator may be nested at will; the name is its innermost part.

; A constructor: in its class by name, at any depth by having no type, out of line as `A::A`. One
; pattern for each shape, and what has a body apart from what has none: a query compares all the ways
; to go on with one pattern, pair by pair, at every node for as long as they wait.
((_
  name: [
    (type_identifier) @_class
    (template_type
      name: (type_identifier) @_class)
    (qualified_identifier
      name: (type_identifier) @_class)
  ]
  body: (field_declaration_list
    (function_definition
      declarator: (function_declarator
        declarator: [
          (identifier)
          (field_identifier)
        ] @name)
      body: [
        (compound_statement)
        (try_statement)
      ] @body) @definition.constructor))
  (#eq? @_class @name))

((_
  name: [
    (type_identifier) @_class
    (template_type
      name: (type_identifier) @_class)
    (qualified_identifier
      name: (type_identifier) @_class)
  ]
  body: (field_declaration_list
    (function_definition
      !body
      declarator: (function_declarator
        declarator: [
          (identifier)
          (field_identifier)
        ] @name)
      [
        (try_statement) @body
        (default_method_clause)
        (delete_method_clause)
        (pure_virtual_clause)
      ]) @definition.constructor))
  (#eq? @_class @name))

((_
  name: [
    (type_identifier) @_class
    (template_type
      name: (type_identifier) @_class)
    (qualified_identifier
      name: (type_identifier) @_class)
  ]
  body: (field_declaration_list
    (declaration
      declarator: (function_declarator
        declarator: (identifier) @name)) @definition.constructor))
  (#eq? @_class @name))

((_
  name: [
    (type_identifier) @_class
    (template_type
      name: (type_identifier) @_class)
    (qualified_identifier
      name: (type_identifier) @_class)
  ]
  body: (field_declaration_list
    (field_declaration
      declarator: (function_declarator
        declarator: (field_identifier) @name)) @definition.constructor))
  (#eq? @_class @name))

((_
  name: [
    (type_identifier) @_class
    (template_type
      name: (type_identifier) @_class)
    (qualified_identifier
      name: (type_identifier) @_class)
  ]
  body: (field_declaration_list
    (template_declaration
      (function_definition
        declarator: (function_declarator
          declarator: [
            (identifier)
            (field_identifier)
          ] @name)
        body: [
          (compound_statement)
          (try_statement)
        ] @body) @definition.constructor)))
  (#eq? @_class @name))

((_
  name: [
    (type_identifier) @_class
    (template_type
      name: (type_identifier) @_class)
    (qualified_identifier
      name: (type_identifier) @_class)
  ]
  body: (field_declaration_list
    (template_declaration
      (function_definition
        !body
        declarator: (function_declarator
          declarator: [
            (identifier)
            (field_identifier)
          ] @name)
        [
          (try_statement) @body
          (default_method_clause)
          (delete_method_clause)
          (pure_virtual_clause)
        ]) @definition.constructor)))
  (#eq? @_class @name))

((_
  name: [
    (type_identifier) @_class
    (template_type
      name: (type_identifier) @_class)
    (qualified_identifier
      name: (type_identifier) @_class)
  ]
  body: (field_declaration_list
    (template_declaration
      (declaration
        declarator: (function_declarator
          declarator: (identifier) @name)) @definition.constructor)))
  (#eq? @_class @name))

((_
  name: [
    (type_identifier) @_class
    (template_type
      name: (type_identifier) @_class)
    (qualified_identifier
      name: (type_identifier) @_class)
  ]
  body: (field_declaration_list
    (preproc_if
      [
        (function_definition
          declarator: (function_declarator
            declarator: [
              (identifier)
              (field_identifier)
            ] @name)
          [
            (compound_statement) @body
            (try_statement) @body
            (default_method_clause)
            (delete_method_clause)
            (pure_virtual_clause)
          ]) @definition.constructor
        (declaration
          declarator: (function_declarator
            declarator: (identifier) @name)) @definition.constructor
        (field_declaration
          declarator: (function_declarator
            declarator: (field_identifier) @name)) @definition.constructor
      ])))
  (#eq? @_class @name))

((_
  name: [
    (type_identifier) @_class
    (template_type
      name: (type_identifier) @_class)
    (qualified_identifier
      name: (type_identifier) @_class)
  ]
  body: (field_declaration_list
    (preproc_ifdef
      [
        (function_definition
          declarator: (function_declarator
            declarator: [
              (identifier)
              (field_identifier)
            ] @name)
          [
            (compound_statement) @body
            (try_statement) @body
            (default_method_clause)
            (delete_method_clause)
            (pure_virtual_clause)
          ]) @definition.constructor
        (declaration
          declarator: (function_declarator
            declarator: (identifier) @name)) @definition.constructor
        (field_declaration
          declarator: (function_declarator
            declarator: (field_identifier) @name)) @definition.constructor
      ])))
  (#eq? @_class @name))

(field_declaration_list
  (function_definition
    !type
    declarator: (function_declarator
      declarator: (identifier) @name)
    body: [
      (compound_statement)
      (try_statement)
    ] @body) @definition.constructor)

(field_declaration_list
  (function_definition
    !type
    !body
    declarator: (function_declarator
      declarator: (identifier) @name)
    [
      (try_statement) @body
      (default_method_clause)
      (delete_method_clause)
      (pure_virtual_clause)
    ]) @definition.constructor)

(field_declaration_list
  (template_declaration
    (function_definition
      !type
      declarator: (function_declarator
        declarator: (identifier) @name)
      body: [
        (compound_statement)
        (try_statement)
      ] @body) @definition.constructor))

(field_declaration_list
  (template_declaration
    (function_definition
      !type
      !body
      declarator: (function_declarator
        declarator: (identifier) @name)
      [
        (try_statement) @body
        (default_method_clause)
        (delete_method_clause)
        (pure_virtual_clause)
      ]) @definition.constructor))

(field_declaration_list
  (template_declaration
    (template_declaration
      (function_definition
        !type
        declarator: (function_declarator
          declarator: (identifier) @name)
        [
          (compound_statement) @body
          (try_statement) @body
          (default_method_clause)
          (delete_method_clause)
          (pure_virtual_clause)
        ]) @definition.constructor)))

(field_declaration_list
  (preproc_if
    (function_definition
      !type
      declarator: (function_declarator
        declarator: (identifier) @name)
      [
        (compound_statement) @body
        (try_statement) @body
        (default_method_clause)
        (delete_method_clause)
        (pure_virtual_clause)
      ]) @definition.constructor))

(field_declaration_list
  (preproc_if
    (_
      (function_definition
        !type
        declarator: (function_declarator
          declarator: (identifier) @name)
        [
          (compound_statement) @body
          (try_statement) @body
          (default_method_clause)
          (delete_method_clause)
          (pure_virtual_clause)
        ]) @definition.constructor)))

(field_declaration_list
  (preproc_if
    (_
      (_
        (function_definition
          !type
          declarator: (function_declarator
            declarator: (identifier) @name)
          [
            (compound_statement) @body
            (try_statement) @body
            (default_method_clause)
            (delete_method_clause)
            (pure_virtual_clause)
          ]) @definition.constructor))))

(field_declaration_list
  (preproc_ifdef
    (function_definition
      !type
      declarator: (function_declarator
        declarator: (identifier) @name)
      [
        (compound_statement) @body
        (try_statement) @body
        (default_method_clause)
        (delete_method_clause)
        (pure_virtual_clause)
      ]) @definition.constructor))

(field_declaration_list
  (preproc_ifdef
    (_
      (function_definition
        !type
        declarator: (function_declarator
          declarator: (identifier) @name)
        [
          (compound_statement) @body
          (try_statement) @body
          (default_method_clause)
          (delete_method_clause)
          (pure_virtual_clause)
        ]) @definition.constructor)))

(field_declaration_list
  (preproc_ifdef
    (_
      (_
        (function_definition
          !type
          declarator: (function_declarator
            declarator: (identifier) @name)
          [
            (compound_statement) @body
            (try_statement) @body
            (default_method_clause)
            (delete_method_clause)
            (pure_virtual_clause)
          ]) @definition.constructor))))

; A deduction guide
(declaration
  !type
  declarator: (function_declarator
    declarator: (identifier) @name
    (trailing_return_type))) @definition.function

; An unknown macro looks the same, but for its name
((declaration
  !type
  declarator: (function_declarator
    declarator: (identifier) @name)) @definition.constructor
  (#not-match? @name "^[A-Z0-9_]+$"))

((function_definition
  declarator: (function_declarator
    declarator: [
      (qualified_identifier
        scope: [
          (namespace_identifier) @_class @container
          (template_type
            name: (type_identifier) @_class) @container
        ]
        name: (identifier) @name)
      (qualified_identifier
        scope: (_) @container
        name: (qualified_identifier
          scope: [
            (namespace_identifier) @_class @container
            (template_type
              name: (type_identifier) @_class) @container
          ]
          name: (identifier) @name))
      (qualified_identifier
        scope: (_) @container
        name: (qualified_identifier
          scope: (_) @container
          name: (qualified_identifier
            scope: [
              (namespace_identifier) @_class @container
              (template_type
                name: (type_identifier) @_class) @container
            ]
            name: (identifier) @name)))
    ])
  body: [
    (compound_statement)
    (try_statement)
  ] @body) @definition.constructor
  (#eq? @_class @name))

((function_definition
  !body
  declarator: (function_declarator
    declarator: [
      (qualified_identifier
        scope: [
          (namespace_identifier) @_class @container
          (template_type
            name: (type_identifier) @_class) @container
        ]
        name: (identifier) @name)
      (qualified_identifier
        scope: (_) @container
        name: (qualified_identifier
          scope: [
            (namespace_identifier) @_class @container
            (template_type
              name: (type_identifier) @_class) @container
          ]
          name: (identifier) @name))
      (qualified_identifier
        scope: (_) @container
        name: (qualified_identifier
          scope: (_) @container
          name: (qualified_identifier
            scope: [
              (namespace_identifier) @_class @container
              (template_type
                name: (type_identifier) @_class) @container
            ]
            name: (identifier) @name)))
    ])
  [
    (try_statement) @body
    (default_method_clause)
    (delete_method_clause)
    (pure_virtual_clause)
  ]) @definition.constructor
  (#eq? @_class @name))

; In a type that looks like a function: `struct EXPORT Options { … };`
((function_definition
  type: [
    (class_specifier)
    (struct_specifier)
  ]
  declarator: (identifier) @_class
  body: (compound_statement
    [
      (expression_statement
        (call_expression
          function: (identifier) @name)) @definition.constructor
      (function_definition
        !type
        declarator: (function_declarator
          declarator: (identifier) @name)
        [
          (compound_statement) @body
          (default_method_clause)
          (delete_method_clause)
        ]) @definition.constructor
      (labeled_statement
        (expression_statement
          (call_expression
            function: (identifier) @name)) @definition.constructor)
    ]))
  (#eq? @_class @name))

; A conversion: `operator bool`
(function_definition
  declarator: (operator_cast
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
    ])
  body: [
    (compound_statement)
    (try_statement)
  ] @body) @definition.function

(function_definition
  !body
  declarator: (operator_cast
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
    ])
  [
    (try_statement) @body
    (default_method_clause)
    (delete_method_clause)
    (pure_virtual_clause)
  ]) @definition.function

(function_definition
  declarator: (qualified_identifier
    scope: (_) @container
    name: (operator_cast
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
  body: [
    (compound_statement)
    (try_statement)
  ] @body) @definition.function

(function_definition
  !body
  declarator: (qualified_identifier
    scope: (_) @container
    name: (operator_cast
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
  [
    (try_statement) @body
    (default_method_clause)
    (delete_method_clause)
    (pure_virtual_clause)
  ]) @definition.function

(function_definition
  declarator: (qualified_identifier
    scope: (_) @container
    name: (qualified_identifier
      scope: (_) @container
      name: (operator_cast
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
        ])))
  body: [
    (compound_statement)
    (try_statement)
  ] @body) @definition.function

(function_definition
  !body
  declarator: (qualified_identifier
    scope: (_) @container
    name: (qualified_identifier
      scope: (_) @container
      name: (operator_cast
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
        ])))
  [
    (try_statement) @body
    (default_method_clause)
    (delete_method_clause)
    (pure_virtual_clause)
  ]) @definition.function

(declaration
  declarator: (operator_cast
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
    ])) @definition.function

(function_definition
  declarator: (function_declarator
    declarator: [
      (identifier) @name
      (field_identifier) @name
      (operator_name) @name
      (destructor_name) @name
      (template_function
        name: (_) @name)
      (template_method
        name: (_) @name)
      (parenthesized_declarator
        [
          (identifier) @name
          (qualified_identifier
            scope: (_) @container
            name: (identifier) @name)
        ])
      (qualified_identifier
        scope: (_) @container
        name: [
          (identifier) @name
          (operator_name) @name
          (destructor_name) @name
          (template_function
            name: (_) @name)
          (qualified_identifier
            scope: (_) @container
            name: [
              (identifier) @name
              (operator_name) @name
              (destructor_name) @name
              (template_function
                name: (_) @name)
              (qualified_identifier
                scope: (_) @container
                name: [
                  (identifier) @name
                  (operator_name) @name
                  (destructor_name) @name
                  (template_function
                    name: (_) @name)
                  (qualified_identifier
                    scope: (_) @container
                    name: [
                      (identifier) @name
                      (operator_name) @name
                      (destructor_name) @name
                      (template_function
                        name: (_) @name)
                    ])
                ])
            ])
        ])
    ])
  body: [
    (compound_statement)
    (try_statement)
  ] @body) @definition.function

(function_definition
  !body
  declarator: (function_declarator
    declarator: [
      (identifier) @name
      (field_identifier) @name
      (operator_name) @name
      (destructor_name) @name
      (template_function
        name: (_) @name)
      (template_method
        name: (_) @name)
      (parenthesized_declarator
        [
          (identifier) @name
          (qualified_identifier
            scope: (_) @container
            name: (identifier) @name)
        ])
      (qualified_identifier
        scope: (_) @container
        name: [
          (identifier) @name
          (operator_name) @name
          (destructor_name) @name
          (template_function
            name: (_) @name)
          (qualified_identifier
            scope: (_) @container
            name: [
              (identifier) @name
              (operator_name) @name
              (destructor_name) @name
              (template_function
                name: (_) @name)
              (qualified_identifier
                scope: (_) @container
                name: [
                  (identifier) @name
                  (operator_name) @name
                  (destructor_name) @name
                  (template_function
                    name: (_) @name)
                  (qualified_identifier
                    scope: (_) @container
                    name: [
                      (identifier) @name
                      (operator_name) @name
                      (destructor_name) @name
                      (template_function
                        name: (_) @name)
                    ])
                ])
            ])
        ])
    ])
  [
    (try_statement) @body
    (default_method_clause)
    (delete_method_clause)
    (pure_virtual_clause)
  ]) @definition.function

(function_definition
  declarator: (_
    (function_declarator
      declarator: [
        (identifier) @name
        (field_identifier) @name
        (operator_name) @name
        (destructor_name) @name
        (template_function
          name: (_) @name)
        (template_method
          name: (_) @name)
        (parenthesized_declarator
          (identifier) @name)
        (qualified_identifier
          scope: (_) @container
          name: [
            (identifier) @name
            (operator_name) @name
            (destructor_name) @name
            (template_function
              name: (_) @name)
            (qualified_identifier
              scope: (_) @container
              name: [
                (identifier) @name
                (operator_name) @name
                (destructor_name) @name
                (template_function
                  name: (_) @name)
                (qualified_identifier
                  scope: (_) @container
                  name: [
                    (identifier) @name
                    (operator_name) @name
                    (destructor_name) @name
                    (template_function
                      name: (_) @name)
                    (qualified_identifier
                      scope: (_) @container
                      name: [
                        (identifier) @name
                        (operator_name) @name
                        (destructor_name) @name
                        (template_function
                          name: (_) @name)
                      ])
                  ])
              ])
          ])
      ]))
  body: [
    (compound_statement)
    (try_statement)
  ] @body) @definition.function

(function_definition
  !body
  declarator: (_
    (function_declarator
      declarator: [
        (identifier) @name
        (field_identifier) @name
        (operator_name) @name
        (destructor_name) @name
        (template_function
          name: (_) @name)
        (template_method
          name: (_) @name)
        (parenthesized_declarator
          (identifier) @name)
        (qualified_identifier
          scope: (_) @container
          name: [
            (identifier) @name
            (operator_name) @name
            (destructor_name) @name
            (template_function
              name: (_) @name)
            (qualified_identifier
              scope: (_) @container
              name: [
                (identifier) @name
                (operator_name) @name
                (destructor_name) @name
                (template_function
                  name: (_) @name)
                (qualified_identifier
                  scope: (_) @container
                  name: [
                    (identifier) @name
                    (operator_name) @name
                    (destructor_name) @name
                    (template_function
                      name: (_) @name)
                    (qualified_identifier
                      scope: (_) @container
                      name: [
                        (identifier) @name
                        (operator_name) @name
                        (destructor_name) @name
                        (template_function
                          name: (_) @name)
                      ])
                  ])
              ])
          ])
      ]))
  [
    (try_statement) @body
    (default_method_clause)
    (delete_method_clause)
    (pure_virtual_clause)
  ]) @definition.function

(function_definition
  declarator: (_
    (_
      (function_declarator
        declarator: [
          (identifier) @name
          (field_identifier) @name
          (operator_name) @name
          (destructor_name) @name
          (template_function
            name: (_) @name)
          (template_method
            name: (_) @name)
          (parenthesized_declarator
            (identifier) @name)
          (qualified_identifier
            scope: (_) @container
            name: [
              (identifier) @name
              (operator_name) @name
              (destructor_name) @name
              (template_function
                name: (_) @name)
              (qualified_identifier
                scope: (_) @container
                name: [
                  (identifier) @name
                  (operator_name) @name
                  (destructor_name) @name
                  (template_function
                    name: (_) @name)
                ])
            ])
        ])))
  body: [
    (compound_statement)
    (try_statement)
  ] @body) @definition.function

(function_definition
  !body
  declarator: (_
    (_
      (function_declarator
        declarator: [
          (identifier) @name
          (field_identifier) @name
          (operator_name) @name
          (destructor_name) @name
          (template_function
            name: (_) @name)
          (template_method
            name: (_) @name)
          (parenthesized_declarator
            (identifier) @name)
          (qualified_identifier
            scope: (_) @container
            name: [
              (identifier) @name
              (operator_name) @name
              (destructor_name) @name
              (template_function
                name: (_) @name)
              (qualified_identifier
                scope: (_) @container
                name: [
                  (identifier) @name
                  (operator_name) @name
                  (destructor_name) @name
                  (template_function
                    name: (_) @name)
                ])
            ])
        ])))
  [
    (try_statement) @body
    (default_method_clause)
    (delete_method_clause)
    (pure_virtual_clause)
  ]) @definition.function

(function_definition
  declarator: (pointer_declarator
    (pointer_declarator
      (pointer_declarator
        (function_declarator
          declarator: [
            (identifier) @name
            (field_identifier) @name
          ]))))
  body: [
    (compound_statement)
    (try_statement)
  ] @body) @definition.function

(function_definition
  !body
  declarator: (pointer_declarator
    (pointer_declarator
      (pointer_declarator
        (function_declarator
          declarator: [
            (identifier) @name
            (field_identifier) @name
          ]))))
  [
    (try_statement) @body
    (default_method_clause)
    (delete_method_clause)
    (pure_virtual_clause)
  ]) @definition.function

; A function that returns a pointer to a function or an array
(function_definition
  declarator: (_
    declarator: (parenthesized_declarator
      (_
        (function_declarator
          declarator: [
            (identifier) @name
            (field_identifier) @name
            (operator_name) @name
            (destructor_name) @name
            (template_function
              name: (_) @name)
            (template_method
              name: (_) @name)
            (parenthesized_declarator
              (identifier) @name)
            (qualified_identifier
              scope: (_) @container
              name: [
                (identifier) @name
                (operator_name) @name
                (destructor_name) @name
                (template_function
                  name: (_) @name)
              ])
          ]))))
  body: [
    (compound_statement)
    (try_statement)
  ] @body) @definition.function

(function_definition
  !body
  declarator: (_
    declarator: (parenthesized_declarator
      (_
        (function_declarator
          declarator: [
            (identifier) @name
            (field_identifier) @name
            (operator_name) @name
            (destructor_name) @name
            (template_function
              name: (_) @name)
            (template_method
              name: (_) @name)
            (parenthesized_declarator
              (identifier) @name)
            (qualified_identifier
              scope: (_) @container
              name: [
                (identifier) @name
                (operator_name) @name
                (destructor_name) @name
                (template_function
                  name: (_) @name)
              ])
          ]))))
  [
    (try_statement) @body
    (default_method_clause)
    (delete_method_clause)
    (pure_virtual_clause)
  ]) @definition.function

(function_definition
  declarator: (_
    (_
      declarator: (parenthesized_declarator
        (_
          (function_declarator
            declarator: [
              (identifier) @name
              (field_identifier) @name
            ])))))
  body: [
    (compound_statement)
    (try_statement)
  ] @body) @definition.function

(function_definition
  !body
  declarator: (_
    (_
      declarator: (parenthesized_declarator
        (_
          (function_declarator
            declarator: [
              (identifier) @name
              (field_identifier) @name
            ])))))
  [
    (try_statement) @body
    (default_method_clause)
    (delete_method_clause)
    (pure_virtual_clause)
  ]) @definition.function

; A parameter that is a function
(parameter_declaration
  declarator: [
    (function_declarator
      declarator: (identifier) @name)
    (_
      (function_declarator
        declarator: (identifier) @name))
  ]) @definition.variable

; A friend is no member. One that is a member of another class is declared there.
(friend_declaration
  (declaration
    declarator: [
      (function_declarator
        declarator: [
          (identifier) @name
          (operator_name) @name
          (template_function
            name: (_) @name)
        ]) @definition.function
      (_
        (function_declarator
          declarator: [
            (identifier) @name
            (operator_name) @name
            (template_function
              name: (_) @name)
          ]) @definition.function)
    ]))

; A macro before it makes the type look like the name: `EXPORT int (open)(void);`
((function_declarator
  declarator: (function_declarator
    declarator: (identifier) @_type
    parameters: (parameter_list
      .
      (parameter_declaration
        .
        type: (type_identifier) @name
        .)
      .))) @definition.function
  (#not-match? @_type "^[A-Z0-9_]+$")
  (#set! local "drop"))

; In a function `Lock lock(mutex);` is a variable, and looks the same
((function_declarator
  declarator: [
    (identifier) @name
    (field_identifier) @name
    (operator_name) @name
    (destructor_name) @name
    (template_function
      name: (_) @name)
    (template_method
      name: (_) @name)
    (parenthesized_declarator
      (identifier) @name)
    (qualified_identifier
      scope: (_) @container
      name: [
        (identifier) @name
        (operator_name) @name
        (destructor_name) @name
        (template_function
          name: (_) @name)
        (qualified_identifier
          scope: (_) @container
          name: [
            (identifier) @name
            (operator_name) @name
            (destructor_name) @name
            (template_function
              name: (_) @name)
            (qualified_identifier
              scope: (_) @container
              name: [
                (identifier) @name
                (operator_name) @name
                (destructor_name) @name
                (template_function
                  name: (_) @name)
              ])
          ])
      ])
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
(namespace_definition
  name: (nested_namespace_specifier
    .
    (namespace_identifier) @name)
  body: (declaration_list) @body) @definition.module

(namespace_definition
  name: (nested_namespace_specifier
    (namespace_identifier) @container
    [
      (namespace_identifier) @name
      (nested_namespace_specifier
        .
        (namespace_identifier) @name)
    ])
  body: (declaration_list) @body) @definition.module

(namespace_definition
  name: (nested_namespace_specifier
    (namespace_identifier) @container
    (nested_namespace_specifier
      (namespace_identifier) @container
      [
        (namespace_identifier) @name
        (nested_namespace_specifier
          .
          (namespace_identifier) @name)
      ]))
  body: (declaration_list) @body) @definition.module

(namespace_definition
  name: (nested_namespace_specifier
    (namespace_identifier) @container
    (nested_namespace_specifier
      (namespace_identifier) @container
      (nested_namespace_specifier
        (namespace_identifier) @container
        (namespace_identifier) @name)))
  body: (declaration_list) @body) @definition.module

(type_definition
  type: (struct_specifier
    !name
    body: (field_declaration_list) @body) @definition.struct
  .
  declarator: (type_identifier) @name)

(type_definition
  type: (union_specifier
    !name
    body: (field_declaration_list) @body) @definition.struct
  .
  declarator: (type_identifier) @name)

(type_definition
  type: (enum_specifier
    !name
    body: (enumerator_list) @body) @definition.enum
  .
  declarator: (type_identifier) @name)

(class_specifier
  name: [
    (type_identifier) @name
    (template_type
      name: (type_identifier) @name)
    (qualified_identifier
      scope: (_) @container
      name: [
        (type_identifier) @name
        (template_type
          name: (type_identifier) @name)
        (qualified_identifier
          scope: (_) @container
          name: [
            (type_identifier) @name
            (template_type
              name: (type_identifier) @name)
          ])
      ])
  ]
  body: (field_declaration_list) @body) @definition.class

([
  (struct_specifier
    name: [
      (type_identifier) @name
      (template_type
        name: (type_identifier) @name)
      (qualified_identifier
        scope: (_) @container
        name: [
          (type_identifier) @name
          (template_type
            name: (type_identifier) @name)
          (qualified_identifier
            scope: (_) @container
            name: [
              (type_identifier) @name
              (template_type
                name: (type_identifier) @name)
            ])
        ])
    ]
    body: (field_declaration_list) @body)
  (union_specifier
    name: [
      (type_identifier) @name
      (template_type
        name: (type_identifier) @name)
      (qualified_identifier
        scope: (_) @container
        name: (type_identifier) @name)
    ]
    body: (field_declaration_list) @body)
] @definition.struct)

; A macro before the name makes a type look like a function: `struct EXPORT Options { … };`
((function_definition
  type: (struct_specifier
    !body)
  declarator: (identifier) @name
  body: (compound_statement) @body) @definition.struct
  (#set! local "drop"))

((function_definition
  type: (union_specifier
    !body)
  declarator: (identifier) @name
  body: (compound_statement) @body) @definition.struct
  (#set! local "drop"))

((function_definition
  type: (class_specifier
    !body)
  declarator: (identifier) @name
  body: (compound_statement) @body) @definition.class
  (#set! local "drop"))

(enum_specifier
  name: [
    (type_identifier) @name
    (qualified_identifier
      scope: (_) @container
      name: (type_identifier) @name)
  ]
  body: (enumerator_list) @body) @definition.enum

((enumerator
  name: (identifier) @name
  value: (_)? @value) @definition.constant
  (#set! placeholder "0"))

(alias_declaration
  name: (type_identifier) @name) @definition.type

(concept_definition
  name: (identifier) @name) @definition.type

(type_definition
  declarator: [
    (type_identifier)
    (primitive_type)
  ] @name @definition.type)

[
  (pointer_declarator
    declarator: (type_identifier) @name)
  (reference_declarator
    (type_identifier) @name)
  (array_declarator
    declarator: (type_identifier) @name)
  (function_declarator
    declarator: (type_identifier) @name)
  (parenthesized_declarator
    (type_identifier) @name)
  (attributed_declarator
    (type_identifier) @name)
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
  (pointer_declarator
    declarator: (field_identifier) @name)
  (reference_declarator
    (field_identifier) @name)
  (array_declarator
    declarator: (field_identifier) @name)
  (parenthesized_declarator
    (field_identifier) @name)
  (attributed_declarator
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

(init_declarator
  declarator: [
    (identifier) @name
    (template_function
      name: (identifier) @name)
    (attributed_declarator
      (identifier) @name)
    (reference_declarator
      (identifier) @name)
    (_
      declarator: (identifier) @name)
    (_
      declarator: (_
        declarator: (identifier) @name))
    (_
      declarator: (_
        declarator: (_
          declarator: (identifier) @name)))
    (_
      declarator: (parenthesized_declarator
        (_
          declarator: (identifier) @name)))
    (_
      declarator: (parenthesized_declarator
        (_
          declarator: (_
            declarator: (identifier) @name))))
  ]
  value: (_) @value) @definition.variable

; A member that is defined out of line: `int Foo::count = 0;`
(declaration
  declarator: [
    (init_declarator
      declarator: [
        (qualified_identifier
          scope: (_) @container
          name: [
            (identifier) @name
            (qualified_identifier
              scope: (_) @container
              name: [
                (identifier) @name
                (qualified_identifier
                  scope: (_) @container
                  name: (identifier) @name)
              ])
          ])
        (_
          declarator: (qualified_identifier
            scope: (_) @container
            name: [
              (identifier) @name
              (qualified_identifier
                scope: (_) @container
                name: (identifier) @name)
            ]))
        (_
          declarator: (_
            declarator: (qualified_identifier
              scope: (_) @container
              name: [
                (identifier) @name
                (qualified_identifier
                  scope: (_) @container
                  name: (identifier) @name)
              ])))
      ]
      value: (_) @value) @definition.variable
    (qualified_identifier
      scope: (_) @container
      name: [
        (identifier) @name
        (qualified_identifier
          scope: (_) @container
          name: [
            (identifier) @name
            (qualified_identifier
              scope: (_) @container
              name: (identifier) @name)
          ])
      ]) @definition.variable
    (array_declarator
      declarator: (qualified_identifier
        scope: (_) @container
        name: (identifier) @name)) @definition.variable
    (pointer_declarator
      declarator: (qualified_identifier
        scope: (_) @container
        name: (identifier) @name)) @definition.variable
  ])

(declaration
  declarator: [
    (identifier) @name
    (template_function
      name: (identifier) @name)
  ] @definition.variable)

(structured_binding_declarator
  (identifier) @name @definition.variable)

[
  (pointer_declarator
    declarator: (identifier) @name)
  (reference_declarator
    (identifier) @name)
  (array_declarator
    declarator: (identifier) @name)
  (parenthesized_declarator
    (identifier) @name)
  (attributed_declarator
    (identifier) @name)
] @definition.variable

; What looks like a call of a call declares, at the top of a file: `ticks (*clock)(void);`
((expression_statement
  (call_expression
    function: (call_expression
      arguments: (argument_list
        .
        (pointer_expression
          argument: (identifier) @name)
        .)))) @definition.variable
  (#set! placeholder "0"))

((expression_statement
  (call_expression
    function: (call_expression
      arguments: (argument_list
        .
        (pointer_expression
          argument: (subscript_expression
            argument: (identifier) @name))
        .)))) @definition.variable
  (#set! placeholder "0"))

((expression_statement
  (assignment_expression
    left: (call_expression
      function: (call_expression
        arguments: (argument_list
          .
          (pointer_expression
            argument: (identifier) @name)
          .)))
    right: (_) @value)) @definition.variable
  (#set! placeholder "0"))

((expression_statement
  (subscript_expression
    argument: (call_expression
      arguments: (argument_list
        .
        (pointer_expression
          argument: (identifier) @name)
        .)))) @definition.variable
  (#set! placeholder "0"))

; `size (measure)(void);`, but not `MACRO(name)(argument);`
((expression_statement
  (call_expression
    function: (call_expression
      function: (_) @_type
      arguments: (argument_list
        .
        (identifier) @name
        .)))) @definition.function
  (#not-match? @_type "^[A-Z0-9_]+$")
  (#set! local "drop"))

((preproc_def
  name: (identifier) @name
  value: (preproc_arg) @body) @definition.macro
  (#match? @body "\n")
  (#set! placeholder ""))

(preproc_def
  name: (identifier) @name) @definition.macro

((preproc_function_def
  name: (identifier) @name
  value: (preproc_arg) @body) @definition.macro
  (#set! placeholder ""))

(preproc_function_def
  name: (identifier) @name) @definition.macro

; What stands around declarations

[
  (declaration
    declarator: (_) @wrapped)
  (field_declaration
    declarator: (_) @wrapped)
  (type_definition
    declarator: (_) @wrapped)
  (init_declarator
    declarator: (_) @wrapped)
  (pointer_declarator
    declarator: (_) @wrapped)
  (reference_declarator
    (_) @wrapped)
  (array_declarator
    declarator: (_) @wrapped)
  (function_declarator
    declarator: (_) @wrapped)
  (parenthesized_declarator
    (_) @wrapped)
  (attributed_declarator
    .
    (_) @wrapped)
  (structured_binding_declarator
    (identifier) @wrapped)
  ; A type and something of that type in one statement
  (declaration
    type: (_
      body: (_)) @wrapped)
  (field_declaration
    type: (_
      body: (_)) @wrapped)
  (type_definition
    type: (_
      body: (_)) @wrapped)
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
  (linkage_specification
    body: [
      (declaration)
      (function_definition)
    ] @wrapped)
] @wrapper

(linkage_specification
  body: (declaration_list) @body) @scope

(namespace_definition
  !name
  body: (declaration_list) @body) @scope

(attribute_declaration) @decorator

(attribute_specifier) @decorator

(comment) @comment

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

; The semicolon after a type that looks like a function
(
  (function_definition
    declarator: (identifier))
  .
  (expression_statement
    .
    ";") @keep)

; Statements given to a macro, or left behind by one
(argument_list
  (compound_statement) @local)

(translation_unit
  (compound_statement) @body)

(declaration_list
  (compound_statement) @body)

; References

; `ticks (*clock)(void);` again
(_
  function: (call_expression
    function: (identifier) @reference.type
    arguments: (argument_list
      .
      (pointer_expression))))

(expression_statement
  (subscript_expression
    argument: (call_expression
      function: (identifier) @reference.type
      arguments: (argument_list
        .
        (pointer_expression)))))

; Only a call has a function. A pattern that starts below the call is tried where it can match alone.
(_
  function: (identifier) @reference.call)

(_
  function: (field_expression
    argument: (_) @receiver
    field: (field_identifier) @reference.call))

(_
  function: (field_expression
    argument: (_) @receiver
    field: (template_method
      name: (_) @reference.call)))

(_
  function: (field_expression
    argument: (_) @receiver
    field: (dependent_name
      (template_method
        name: (_) @reference.call))))

; `(*f)(x)`
(_
  function: (parenthesized_expression
    (pointer_expression
      argument: (identifier) @reference.call)))

(_
  function: (parenthesized_expression
    (pointer_expression
      argument: (field_expression
        argument: (_) @receiver
        field: (field_identifier) @reference.call))))

; The innermost qualifier is what has the function as its member.
(_
  function: (qualified_identifier
    scope: (_) @receiver
    name: (identifier) @reference.call))

(_
  function: (qualified_identifier
    scope: (_) @receiver
    name: (template_function
      name: (identifier) @reference.call)))

(_
  function: (qualified_identifier
    name: (qualified_identifier
      scope: (_) @receiver
      name: (identifier) @reference.call)))

(_
  function: (qualified_identifier
    name: (qualified_identifier
      scope: (_) @receiver
      name: (template_function
        name: (identifier) @reference.call))))

(_
  function: (qualified_identifier
    name: (qualified_identifier
      name: (qualified_identifier
        scope: (_) @receiver
        name: (identifier) @reference.call))))

(_
  function: (qualified_identifier
    name: (qualified_identifier
      name: (qualified_identifier
        scope: (_) @receiver
        name: (template_function
          name: (identifier) @reference.call)))))

((_
  function: (template_function
    name: (identifier) @reference.call))
  (#not-match? @reference.call "^(const|dynamic|reinterpret|static)_cast$"))

(base_class_clause
  (type_identifier) @reference.base)

(base_class_clause
  (template_type
    name: (type_identifier) @reference.base))

(base_class_clause
  (qualified_identifier
    scope: (_) @receiver
    name: (type_identifier) @reference.base))

(base_class_clause
  (qualified_identifier
    scope: (_) @receiver
    name: (template_type
      name: (type_identifier) @reference.base)))

(base_class_clause
  (qualified_identifier
    name: (qualified_identifier
      scope: (_) @receiver
      name: (type_identifier) @reference.base)))

(base_class_clause
  (qualified_identifier
    name: (qualified_identifier
      scope: (_) @receiver
      name: (template_type
        name: (type_identifier) @reference.base))))

(_
  type: (type_identifier) @reference.type)

(_
  constraint: (type_identifier) @reference.type)

(_
  default_type: (type_identifier) @reference.type)

(enum_specifier
  base: (type_identifier) @reference.type)

(dependent_type
  (type_identifier) @reference.type)

(friend_declaration
  (type_identifier) @reference.type)

(class_specifier
  name: (type_identifier) @reference.type
  !body)

(struct_specifier
  name: (type_identifier) @reference.type
  !body)

(union_specifier
  name: (type_identifier) @reference.type
  !body)

(enum_specifier
  name: (type_identifier) @reference.type
  !body)

(qualified_identifier
  scope: (_) @receiver
  name: (type_identifier) @reference.type)

(qualified_identifier
  scope: (_) @receiver
  name: (template_type
    name: (type_identifier) @reference.type))

(_
  type: (template_type
    name: (type_identifier) @reference.type))

(_
  scope: (template_type
    name: (type_identifier) @reference.type))

(_
  constraint: (template_type
    name: (type_identifier) @reference.type))

(class_specifier
  name: (template_type
    name: (type_identifier) @reference.type)
  !body)

(struct_specifier
  name: (template_type
    name: (type_identifier) @reference.type)
  !body)

(dependent_type
  (template_type
    name: (type_identifier) @reference.type))

; Names whose type is plain

; A variable, parameter, field or function: all of them have a type and a declarator.
(_
  type: [
    (qualified_identifier)
    (template_type)
    (type_identifier)
  ] @binding.type
  declarator: [
    (field_identifier)
    (identifier)
  ] @binding)

(_
  type: [
    (qualified_identifier)
    (template_type)
    (type_identifier)
  ] @binding.type
  declarator: (pointer_declarator
    declarator: [
      (field_identifier)
      (identifier)
    ] @binding))

(_
  type: [
    (qualified_identifier)
    (template_type)
    (type_identifier)
  ] @binding.type
  declarator: (reference_declarator
    (identifier) @binding))

(_
  type: [
    (qualified_identifier)
    (template_type)
    (type_identifier)
  ] @binding.type
  declarator: (init_declarator
    declarator: (identifier) @binding))

(_
  type: [
    (qualified_identifier)
    (template_type)
    (type_identifier)
  ] @binding.type
  declarator: (init_declarator
    declarator: (pointer_declarator
      declarator: (identifier) @binding)))

(_
  type: [
    (qualified_identifier)
    (template_type)
    (type_identifier)
  ] @binding.type
  declarator: (init_declarator
    declarator: (reference_declarator
      (identifier) @binding)))

(_
  type: [
    (qualified_identifier)
    (template_type)
    (type_identifier)
  ] @binding.type
  declarator: (function_declarator
    declarator: [
      (field_identifier)
      (identifier)
    ] @binding))

(_
  type: [
    (qualified_identifier)
    (template_type)
    (type_identifier)
  ] @binding.type
  declarator: (pointer_declarator
    declarator: (function_declarator
      declarator: [
        (field_identifier)
        (identifier)
      ] @binding)))

(_
  type: [
    (qualified_identifier)
    (template_type)
    (type_identifier)
  ] @binding.type
  declarator: (reference_declarator
    (function_declarator
      declarator: [
        (field_identifier)
        (identifier)
      ] @binding)))

(_
  type: [
    (qualified_identifier)
    (template_type)
    (type_identifier)
  ] @binding.type
  declarator: (function_declarator
    declarator: (qualified_identifier
      name: (identifier) @binding)))

(_
  type: [
    (qualified_identifier)
    (template_type)
    (type_identifier)
  ] @binding.type
  declarator: (pointer_declarator
    declarator: (function_declarator
      declarator: (qualified_identifier
        name: (identifier) @binding))))

(_
  type: [
    (qualified_identifier)
    (template_type)
    (type_identifier)
  ] @binding.type
  declarator: (reference_declarator
    (function_declarator
      declarator: (qualified_identifier
        name: (identifier) @binding))))

(_
  type: [
    (qualified_identifier)
    (template_type)
    (type_identifier)
  ] @binding.type
  declarator: (function_declarator
    declarator: (qualified_identifier
      name: (qualified_identifier
        name: (identifier) @binding))))

(_
  type: [
    (qualified_identifier)
    (template_type)
    (type_identifier)
  ] @binding.type
  declarator: (pointer_declarator
    declarator: (function_declarator
      declarator: (qualified_identifier
        name: (qualified_identifier
          name: (identifier) @binding)))))

(_
  type: [
    (qualified_identifier)
    (template_type)
    (type_identifier)
  ] @binding.type
  declarator: (reference_declarator
    (function_declarator
      declarator: (qualified_identifier
        name: (qualified_identifier
          name: (identifier) @binding)))))

; `auto` is what its value is.
(_
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: (identifier) @binding
    value: (call_expression
      function: [
        (field_expression)
        (identifier)
        (qualified_identifier
          name: [
            (identifier)
            (qualified_identifier
              name: (identifier))
          ])
      ] @binding.call)))

(_
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: (identifier) @binding
    value: (compound_literal_expression
      type: (_) @binding.type)))

(_
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: (identifier) @binding
    value: (new_expression
      type: (_) @binding.type)))

; `std::make_unique<T>(…)`
(_
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: (identifier) @binding
    value: (call_expression
      function: (qualified_identifier
        name: (template_function
          arguments: (template_argument_list
            .
            (type_descriptor
              type: (_) @binding.type)
            .))))))

(_
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: (reference_declarator
      (identifier) @binding)
    value: (call_expression
      function: [
        (field_expression)
        (identifier)
        (qualified_identifier
          name: [
            (identifier)
            (qualified_identifier
              name: (identifier))
          ])
      ] @binding.call)))

(_
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: (pointer_declarator
      declarator: (identifier) @binding)
    value: (call_expression
      function: [
        (field_expression)
        (identifier)
        (qualified_identifier
          name: [
            (identifier)
            (qualified_identifier
              name: (identifier))
          ])
      ] @binding.call)))

(_
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: (pointer_declarator
      declarator: (identifier) @binding)
    value: (new_expression
      type: (_) @binding.type)))

; Imports

(preproc_include
  path: [
    (string_literal)
    (system_lib_string)
    (identifier)
    (call_expression)
  ] @import.module) @import

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
