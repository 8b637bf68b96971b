---@meta
-- What the server sends, as PROTOCOL.md has it. Lines in results count from 1.

---@alias sightline.Format "json"|"markdown"|"xml"
---@alias sightline.Decision "ok"|"warn_soft_limit"|"refuse_hard_limit"|"none"

---@alias sightline.RefusalKind
---| "ContextTooLarge"
---| "SecretRisk"
---| "AmbiguousTarget"
---| "UnsupportedTarget"
---| "IndexUnavailable"
---| "InvalidRequest"

---@class sightline.Refusal
---@field kind sightline.RefusalKind
---@field reason string snake_case
---@field path? string relative to its workspace folder
---@field message string
---@field advice string
---@field rule? string
---@field source? string where the rule stands, such as `default:build_outputs`
---@field candidates string[] `path::symbol:LINE`, `path::symbol` or `path`
---@field lines? integer[] of `path`, where secrets are
---@field smallest_budget? integer input tokens that would be enough

---@class sightline.Target
---@field uri? string
---@field position? lsp.Position
---@field range? lsp.Range
---@field symbol? string

---@class sightline.BuildParams
---@field textDocument? lsp.TextDocumentIdentifier
---@field position? lsp.Position
---@field range? lsp.Range
---@field targets? sightline.Target[]
---@field userSelectedTargets? sightline.Target[]
---@field model? { maxInputTokens: integer }
---@field format? sightline.Format
---@field workDoneToken? string

---@class sightline.BlockCost
---@field title string
---@field priority "P0"|"P1"|"P2"|"P3"
---@field tokens integer

---@class sightline.BudgetReport
---@field estimated_input_tokens integer
---@field soft_limit_tokens integer
---@field hard_limit_tokens integer
---@field decision sightline.Decision
---@field blocks sightline.BlockCost[]
---@field framing_tokens integer

---@class sightline.Selection
---@field target_files string[]
---@field target_symbols string[] `path::symbol`

---@class sightline.Manifest
---@field selection sightline.Selection

---@class sightline.BuildResult
---@field status "ok"|"refused"
---@field manifest? sightline.Manifest
---@field budget_report? sightline.BudgetReport
---@field refusal? sightline.Refusal
---@field rendered? string
---@field settings table<string, table<string, any>> those in force
---@field index_complete boolean

---@class sightline.Place
---@field path string
---@field symbol? string
---@field kind string
---@field line integer

---@class sightline.Relation
---@field kind string
---@field confidence "resolved"|"ambiguous"|"textual"
---@field hops integer
---@field targets sightline.Place[]
---@field evidence { path: string, line: integer, name: string }

---@class sightline.Verdict
---@field verdict "in"|"out"|"not_a_candidate"|"refused"
---@field reason? string
---@field level? string
---@field rule? string
---@field priority? string

---@class sightline.Explanation: sightline.Place
---@field status "ok"|"refused"
---@field refusal? sightline.Refusal
---@field relations sightline.Relation[]
---@field candidate? sightline.Verdict
---@field index_complete boolean

---@class sightline.Verification
---@field status "verified"|"different"|"refused"
---@field differences { what: string, where: string, detail: string }[]
---@field refusal? sightline.Refusal

---@class sightline.Status
---@field uri string
---@field version? integer
---@field decision sightline.Decision
---@field tokens integer
---@field softLimitTokens integer
---@field hardLimitTokens integer
---@field symbol? string
---@field level? string
---@field refusal? sightline.Refusal
---@field blocks sightline.BlockCost[]
---@field indexComplete boolean
