; Written with the parts of `ecma`.

; `const`, `var` or `using`
(define.variable_declaration
  [
    (lexical_declaration
      (argument.1))
    (variable_declaration
      (argument.1))
    (using_declaration
      (argument.1))
  ])

; `a.name` or `a.b.name`
(define.member_name
  (member_expression
    object: [
      (identifier)
      (member_expression)
    ] @container
    property: (property_identifier) @name))

; Declarations

(use.declarations)

(use.members)

(use.bound_functions)

((assignment_expression
  left: (identifier) @name
  right: (use.function_value)) @definition.function
  (#set! local "drop"))

((assignment_expression
  left: (identifier) @name
  right: (use.class_value)) @definition.class
  (#set! local "drop"))

(assignment_expression
  left: (member_expression
    object: (this)
    property: (_) @name)
  right: (use.function_value)) @definition.method

((assignment_expression
  left: (use.member_name)
  right: (use.function_value)) @definition.function
  (#not-eq? @container "module"))

((assignment_expression
  left: (use.member_name)
  right: (use.class_value)) @definition.class
  (#not-eq? @container "module"))

((assignment_expression
  left: (use.member_name) @definition.function
  right: (assignment_expression
    right: (use.function_value)))
  (#not-eq? @container "module"))

(field_definition
  value: (use.own_name))

(use.named_values)

(use.variables)

; What stands around declarations

(use.surroundings)

; References

(class_heritage
  (use.base))

(call_expression
  function: (use.callee))

(use.references)

(use.elements)

(use.element_values)

(use.values)

; Names whose type is plain

; A parameter without a type is bound to itself: it hides what else has its name.
(formal_parameters
  [
    (identifier) @binding
    (assignment_pattern
      left: (identifier) @binding)
    (rest_pattern
      (identifier) @binding)
    (object_pattern
      (shorthand_property_identifier_pattern) @binding)
  ])

(use.bindings)

(field_definition
  property: (_) @binding
  value: (use.made))

; Imports

(export_specifier
  name: _ @import.name
  alias: (_)? @import.alias)

(use.imports)
