; An element is a call of its component; a name in lower case is the browser's.

((jsx_opening_element
  name: (identifier) @reference.call)
  (#match? @reference.call "^[^a-z]"))

(jsx_opening_element
  name: (member_expression
    object: (_) @receiver
    property: (property_identifier) @reference.call))

((jsx_self_closing_element
  name: (identifier) @reference.call)
  (#match? @reference.call "^[^a-z]"))

(jsx_self_closing_element
  name: (member_expression
    object: (_) @receiver
    property: (property_identifier) @reference.call))
