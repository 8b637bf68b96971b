; Declarations

(function_definition
  name: (word) @name
  body: (subshell) @body
  (#set! placeholder "(:)")) @definition.function

(function_definition
  name: (word) @name
  body: (_) @body) @definition.function

(program
  (variable_assignment
    name: (variable_name) @name
    "="
    value: (array) @value) @definition.variable
  (#set! placeholder "()"))

(program
  (variable_assignment
    name: (variable_name) @name
    "="
    value: (_)? @value) @definition.variable)

(program
  (variable_assignments
    (variable_assignment
      name: (variable_name) @name
      "="
      value: (_)? @value)) @definition.variable)

(program
  (declaration_command
    "readonly"
    (variable_assignment
      name: (variable_name) @name
      value: (array) @value)) @definition.constant
  (#set! placeholder "()"))

(program
  (declaration_command
    "readonly"
    (variable_assignment
      name: (variable_name) @name
      value: (_)? @value)) @definition.constant)

(program
  (declaration_command
    (word) @_flags
    (variable_assignment
      name: (variable_name) @name
      value: (array) @value)) @definition.constant
  (#match? @_flags "^-\\w*r")
  (#set! placeholder "()"))

(program
  (declaration_command
    (word) @_flags
    (variable_assignment
      name: (variable_name) @name
      value: (_)? @value)) @definition.constant
  (#match? @_flags "^-\\w*r"))

(program
  (declaration_command
    (variable_assignment
      name: (variable_name) @name
      "="
      value: (array) @value)) @definition.variable
  (#set! placeholder "()"))

(program
  (declaration_command
    (variable_assignment
      name: (variable_name) @name
      "="
      value: (_)? @value)) @definition.variable)

; `declare NAME`, but not `declare -f NAME`, which prints a function.
(program
  (declaration_command
    [
      "declare"
      "typeset"
    ]
    (variable_name) @name) @definition.variable
  (#not-match? @definition.variable "^\\w+\\s+-\\w*[fFp]"))

; What stands around declarations

(redirected_statement
  body: (function_definition) @wrapped) @wrapper

(comment) @comment

; Where the grammar takes assignments on a line of their own for the beginning of the next command:
; several of them, or one before `\. file`; and where it ends a value at the `$` of a variable.
(program
  (command
    (variable_assignment)) @error
  (#match? @error "^\\w+=(\"[^\"\\n]*\"|'[^'\\n]*'|[^\\s\"'\\\\])*([ \\t]+\\w+=(\"[^\"\\n]*\"|'[^'\\n]*'|[^\\s\"'\\\\])*)*[ \\t]*(#[^\\n]*)?\\r?\\n"))

(program
  (command
    (variable_assignment
      value: (concatenation
        "$"
        .))) @error)

; References

(command
  name: (command_name
    (word) @reference.call))

; Imports

(command
  name: (command_name
    (word) @_source)
  .
  argument: [
    (word)
    (string)
    (raw_string)
    (concatenation)
  ] @import.module
  (#any-of? @_source "source" "." "\\source" "\\.")) @import
