(use.elements)
