(use.elements)

(use.element_values)
