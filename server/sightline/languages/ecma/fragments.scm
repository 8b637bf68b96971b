; What JavaScript and TypeScript have in common. Parts that TypeScript replaces say so.

; Functions and classes

; Replaced by TypeScript
(define.class_name
  (identifier))

; Replaced by TypeScript
(define.class
  (class_declaration
    name: (use.class_name) @name
    body: (class_body) @body))

(define.function_value
  [
    (arrow_function
      body: (_) @body)
    (function_expression
      body: (_) @body)
    (generator_function
      body: (_) @body)
  ])

(define.unnamed_function_value
  [
    (arrow_function
      body: (_) @body)
    (function_expression
      !name
      body: (_) @body)
    (generator_function
      !name
      body: (_) @body)
  ])

(define.class_value
  (class
    body: (class_body) @body))

(define.declarations
  (function_declaration
    name: (identifier) @name
    body: (statement_block) @body) @definition.function

  (generator_function_declaration
    name: (identifier) @name
    body: (statement_block) @body) @definition.function

  ; What stands in the decorators before `export` is the class's, too.
  (export_statement
    decorator: (decorator)
    declaration: (use.class)) @definition.class

  (use.class) @definition.class)

; Members

; A field and its value. Replaced by TypeScript
(define.field
  (field_definition
    property: (_) @name
    value: (argument.1)))

(define.members
  ((class_body
    (method_definition
      name: (property_identifier) @name
      body: (statement_block) @body) @definition.constructor)
    (#eq? @name "constructor"))

  ((method_definition
    [
      "get"
      "set"
    ]
    name: (_) @name
    body: (statement_block) @body) @definition.property
    (#set! local "keep"))

  (method_definition
    name: (_) @name
    body: (statement_block) @body) @definition.method

  (use.field (use.function_value)) @definition.method

  (pair
    key: (_) @name
    value: (use.function_value)) @definition.method

  (pair
    key: (_) @name
    value: (use.class_value)) @definition.class)

; Functions and classes bound to a name

; `module.exports`; a pattern that uses it compares `@_module` and `@_exports`.
(define.module_exports
  (member_expression
    object: (identifier) @_module
    property: (property_identifier) @_exports))

; `exports.name` or `module.exports.name`
(define.exported_name
  (member_expression
    object: [
      (identifier) @_exports
      (use.module_exports)
    ]
    property: (property_identifier) @name))

; `A.prototype.name`; a pattern that uses it compares `@_prototype`.
(define.prototype_name
  (member_expression
    object: (member_expression
      object: (_) @container
      property: (property_identifier) @_prototype)
    property: (property_identifier) @name))

(define.bound_functions
  (variable_declarator
    name: (identifier) @name
    value: (use.function_value)) @definition.function

  (variable_declarator
    name: (identifier) @name
    value: (use.class_value)) @definition.class

  ((assignment_expression
    left: (use.module_exports)
    right: [
      (function_expression
        name: (identifier) @name
        body: (_) @body)
      (generator_function
        name: (identifier) @name
        body: (_) @body)
    ]) @definition.function
    (#eq? @_module "module")
    (#eq? @_exports "exports"))

  ((assignment_expression
    left: (member_expression
      object: (identifier) @_module
      property: (property_identifier) @name)
    right: (use.unnamed_function_value)) @definition.function
    (#eq? @_module "module")
    (#eq? @name "exports"))

  ((assignment_expression
    left: (use.exported_name)
    right: (use.function_value)) @definition.function
    (#eq? @_module "module")
    (#eq? @_exports "exports"))

  ((assignment_expression
    left: (use.prototype_name)
    right: (use.function_value)) @definition.function
    (#eq? @_prototype "prototype"))

  ((assignment_expression
    left: (use.module_exports)
    right: (class
      name: (use.class_name) @name
      body: (class_body) @body)) @definition.class
    (#eq? @_module "module")
    (#eq? @_exports "exports"))

  ((assignment_expression
    left: (member_expression
      object: (identifier) @_module
      property: (property_identifier) @name)
    right: (class
      !name
      body: (class_body) @body)) @definition.class
    (#eq? @_module "module")
    (#eq? @name "exports"))

  ((assignment_expression
    left: (use.exported_name)
    right: (use.class_value)) @definition.class
    (#eq? @_module "module")
    (#eq? @_exports "exports"))

  ; `a.b = a.c = function` binds both names; the first one's node must not enclose the second.
  ((assignment_expression
    left: (use.exported_name) @definition.function
    right: (assignment_expression
      right: (use.function_value)))
    (#eq? @_module "module")
    (#eq? @_exports "exports"))

  ((assignment_expression
    left: (use.prototype_name) @definition.function
    right: (assignment_expression
      right: (use.function_value)))
    (#eq? @_prototype "prototype")))

; The own name of a function that is bound to another name is known only inside it.
(define.own_name
  [
    (function_expression
      name: (identifier) @name)
    (generator_function
      name: (identifier) @name)
  ] @definition.variable)

(define.named_values
  (variable_declarator
    value: (use.own_name))

  (assignment_expression
    right: (use.own_name))

  (pair
    value: (use.own_name))

  (function_expression
    name: (identifier) @name
    body: (statement_block) @body) @definition.function

  (generator_function
    name: (identifier) @name
    body: (statement_block) @body) @definition.function

  ; A class as a value. The token in front of it says so: to wait for one in every list of arguments
  ; would cost far more.
  ([
    "("
    ","
    "["
    "return"
    "=>"
  ]
    .
    (class
      name: (use.class_name) @name
      body: (class_body) @body) @definition.class)

  ; `export default` without a name
  (export_statement
    .
    "default" @name
    value: (use.unnamed_function_value) @definition.function)

  (export_statement
    .
    "default" @name
    value: (class
      !name
      body: (class_body) @body) @definition.class))

; Variables and fields

; An object or array. Replaced by TypeScript, where a type may stand behind it
(define.with_type
  (argument.1))

; A call that is short up to its arguments
(define.call
  (call_expression
    function: [
      (identifier)
      (member_expression
        object: [
          (identifier)
          (this)
        ])
    ]
    arguments: (arguments) @value))

(define.call_or_new
  [
    (use.call)
    (new_expression
      arguments: (arguments) @value)
  ])

(define.template
  [
    (template_string) @value
    (call_expression
      arguments: (template_string) @value)
  ])

(define.variables
  ((variable_declarator
    name: (identifier) @name
    value: (use.with_type (object) @value)) @definition.variable
    (#set! placeholder "{}")
    (#set! for "cutting"))

  ((variable_declarator
    name: (identifier) @name
    value: (use.with_type (array) @value)) @definition.variable
    (#set! placeholder "[]")
    (#set! for "cutting"))

  ((variable_declarator
    name: (identifier) @name
    value: [
      (use.call_or_new)
      (await_expression
        (use.call))
    ]) @definition.variable
    (#set! placeholder "()")
    (#set! for "cutting"))

  ((variable_declarator
    name: (identifier) @name
    value: (use.template)) @definition.variable
    (#set! placeholder "``")
    (#set! for "cutting"))

  (variable_declarator
    name: (identifier) @name
    value: (_)? @value) @definition.variable

  (variable_declarator
    name: [
      (array_pattern)
      (object_pattern)
    ] @name.within
    value: (_)? @value) @definition.variable

  ((use.field (use.with_type (object) @value)) @definition.field
    (#set! placeholder "{}")
    (#set! for "cutting"))

  ((use.field (use.with_type (array) @value)) @definition.field
    (#set! placeholder "[]")
    (#set! for "cutting"))

  ((use.field (use.call_or_new)) @definition.field
    (#set! placeholder "()")
    (#set! for "cutting"))

  ((use.field (use.template)) @definition.field
    (#set! placeholder "``")
    (#set! for "cutting"))

  (use.field (_)? @value) @definition.field

  ((export_statement
    .
    "default" @name
    value: (use.with_type (object) @value) @definition.variable)
    (#set! placeholder "{}"))

  ((export_statement
    .
    "default" @name
    value: (use.with_type (array) @value) @definition.variable)
    (#set! placeholder "[]"))

  ((export_statement
    .
    "default" @name
    value: (use.call_or_new) @definition.variable)
    (#set! placeholder "()"))

  ; Data beside the methods of an object
  ((pair
    value: (use.with_type (object) @value))
    (#set! placeholder "{}"))

  ((pair
    value: (use.with_type (array) @value))
    (#set! placeholder "[]"))

  ((pair
    value: (use.call_or_new))
    (#set! placeholder "()")))

; What stands around declarations

; `const` or `var`. Replaced by JavaScript
(define.variable_declaration
  [
    (lexical_declaration
      (argument.1))
    (variable_declaration
      (argument.1))
  ])

(define.surroundings
  (export_statement
    declaration: (_) @wrapped) @wrapper

  (export_statement
    value: (_) @wrapped) @wrapper

  (use.variable_declaration (variable_declarator) @wrapped) @wrapper

  (expression_statement
    .
    (assignment_expression) @wrapped) @wrapper

  (assignment_expression
    right: (assignment_expression) @wrapped) @wrapper

  (assignment_expression
    left: (member_expression) @wrapped
    right: (assignment_expression)) @wrapper

  ((assignment_expression
    left: (member_expression
      object: (_) @container
      property: (property_identifier) @_prototype)
    right: (object) @body) @scope
    (#eq? @_prototype "prototype"))

  ([
    "("
    ","
    "["
    "return"
    "=>"
  ]
    .
    (class
      !name
      body: (class_body) @body) @scope)

  (decorator) @decorator

  [
    (comment)
    (html_comment)
  ] @comment

  [
    (arrow_function)
    (function_expression)
    (generator_function)
  ] @local

  ; What a statement's block declares is known only there.
  [
    (do_statement)
    (for_in_statement)
    (for_statement)
    (if_statement)
    (switch_statement)
    (try_statement)
    (while_statement)
  ] @local

  (program
    (statement_block) @local)

  (class_static_block
    body: (statement_block) @body)

  (program
    (expression_statement
      (string)) @keep)

  ((expression_statement
    (assignment_expression
      left: [
        (member_expression
          object: (identifier) @_exports)
        (use.module_exports)
      ]
      right: [
        (identifier)
        (member_expression)
        (object
          .
          (shorthand_property_identifier))
      ])) @keep
    (#eq? @_module "module")
    (#eq? @_exports "exports")))

; References

; `a.name`
(define.member
  (member_expression
    object: (_) @receiver
    property: (argument.1)))

; What a class extends
(define.base
  [
    (identifier) @reference.base
    (use.member (property_identifier) @reference.base)
    (call_expression
      arguments: (arguments
        (identifier) @reference.base))
  ])

(define.callee
  [
    (identifier) @reference.call
    (use.member (_) @reference.call)
  ])

(define.references
  (new_expression
    constructor: (use.callee))

  (decorator
    [
      (identifier) @reference.call
      (use.member (property_identifier) @reference.call)
    ])

  (binary_expression
    operator: "instanceof"
    right: [
      (identifier) @reference.type
      (use.member (property_identifier) @reference.type)
    ]))

; Functions and classes that are named and not called
(define.value
  [
    (identifier)
    (member_expression
      property: (property_identifier))
  ] @reference.value)

(define.values
  ((arguments
    (use.value))
    (#set! receiver "inside"))
  ((array
    (use.value))
    (#set! receiver "inside"))
  ((pair
    value: (use.value))
    (#set! receiver "inside"))
  (object
    (shorthand_property_identifier) @reference.value)
  ((variable_declarator
    value: (use.value))
    (#set! receiver "inside"))
  ((_
    right: (use.value))
    (#set! receiver "inside"))
  ((return_statement
    (use.value))
    (#set! receiver "inside"))
  ((export_statement
    value: (use.value))
    (#set! receiver "inside"))
  ((arrow_function
    body: (use.value))
    (#set! receiver "inside")))

; An element is a call of its component; a name in lower case is the browser's.
(define.element
  [
    (jsx_opening_element
      name: (argument.1))
    (jsx_self_closing_element
      name: (argument.1))
  ])

(define.elements
  ((use.element (identifier) @reference.call)
    (#match? @reference.call "^[^a-z]"))

  (use.element (use.member (property_identifier) @reference.call)))

(define.element_values
  ((jsx_expression
    (use.value))
    (#set! receiver "inside")))

; Names whose type is plain

(define.called
  (call_expression
    function: [
      (identifier)
      (member_expression)
    ] @binding.call))

(define.made
  [
    (new_expression
      constructor: (_) @binding.type)
    (use.called)
    (await_expression
      (use.called))
  ])

; Replaced by TypeScript
(define.typed_value
  (use.made))

(define.bindings
  (for_in_statement
    left: (identifier) @binding
    operator: "of"
    right: (_) @binding.element)

  ((call_expression
    function: (member_expression
      object: (_) @binding.element
      property: (property_identifier) @_called)
    arguments: (arguments
      .
      (arrow_function
        parameter: (identifier) @binding)))
    (#not-match? @_called "^(catch|reduce|reduceRight)$"))

  (variable_declarator
    name: (identifier) @binding
    value: [
      (member_expression)
      (subscript_expression)
    ] @binding.value)

  ; What takes an object or an array apart. What `require` gives is known as an import.
  ((variable_declarator
    name: [
      (array_pattern)
      (object_pattern)
    ] @binding
    value: [
      (await_expression)
      (call_expression)
      (identifier)
      (member_expression)
      (this)
    ] @binding.value)
    (#not-match? @binding.value "^(await )?(require|import)\\b"))

  (object_pattern
    [
      (shorthand_property_identifier_pattern) @binding @binding.key
      (object_assignment_pattern
        left: (shorthand_property_identifier_pattern) @binding @binding.key)
      (pair_pattern
        key: (property_identifier) @binding.key
        value: [
          (array_pattern)
          (identifier)
          (object_pattern)
        ] @binding)
    ]) @binding.of

  (array_pattern
    (identifier) @binding) @binding.of

  (arrow_function
    parameter: (identifier) @binding)

  ; What `require` gives is known as an import.
  ((variable_declarator
    name: (identifier) @binding
    value: (use.typed_value))
    (#not-eq? @binding.call "require"))

  (assignment_expression
    left: (member_expression
      object: (this)) @binding
    right: (use.made))

  ; What a file exports without a name, under another one, or as a whole
  (export_statement
    "default" @binding
    value: (identifier) @binding.type)

  (export_statement
    "default" @binding
    declaration: (_
      name: (_) @binding.type))

  (export_specifier
    name: (identifier) @binding.type
    alias: _ @binding)

  ((assignment_expression
    left: (use.module_exports) @binding
    right: [
      (identifier) @binding.type
      (class
        name: (_) @binding.type)
      (function_expression
        name: (identifier) @binding.type)
    ])
    (#eq? @_module "module")
    (#eq? @_exports "exports")))

; Imports

; `require('x')`; a pattern that uses it compares `@_require`.
(define.require
  (call_expression
    function: (identifier) @_require
    arguments: (arguments
      .
      (string) @import.module)))

(define.require_alone
  (call_expression
    function: (identifier) @_require
    arguments: (arguments
      .
      (string) @import.module
      .)))

(define.imports
  (import_clause
    (identifier) @import.alias)

  (namespace_import
    "*" @import.name
    (identifier) @import.alias)

  (import_specifier
    name: (_) @import.name
    alias: (identifier)? @import.alias)

  (import_statement
    source: (string) @import.module) @import

  (export_statement
    source: (string) @import.module) @import

  (namespace_export
    "*" @import.name
    (_) @import.alias)

  (export_statement
    "*" @import.name)

  ; The names that a `require` is bound to are imported, not declared.
  ((variable_declarator
    value: [
      (call_expression
        function: (identifier) @_require)
      (member_expression
        object: (call_expression
          function: (identifier) @_require))
    ]) @local
    (#eq? @_require "require"))

  ((use.variable_declaration
    (variable_declarator
      name: (identifier) @import.alias
      value: [
        (use.require)
        (member_expression
          object: (use.require)
          property: (property_identifier) @import.name)
      ])) @import
    (#eq? @_require "require"))

  ((use.variable_declaration
    (variable_declarator
      name: (object_pattern
        [
          (shorthand_property_identifier_pattern) @import.name
          (object_assignment_pattern
            left: (shorthand_property_identifier_pattern) @import.name)
          (pair_pattern
            key: (_) @import.name
            value: (_) @import.alias)
        ])
      value: (use.require))) @import
    (#eq? @_require "require"))

  ([
    (expression_statement
      .
      (use.require_alone))
    (expression_statement
      .
      (assignment_expression
        right: (use.require_alone)))
  ] @import
    (#eq? @_require "require"))

  ; A module that is loaded when it is needed
  (call_expression
    function: (import)
    arguments: (arguments
      .
      (string) @import.module)) @import)
