// Prints what go/types says that each name of the Go files of a workspace stands for: one JSON line
// [path, [[kind, line, column, name, receiver, definitions], …]] for each file named on standard
// input, relative to the root given as argument. Lines are 1-based, columns count bytes from 0.
//
// Kinds: `call`; `value` for a function that is named without being called; `base` for an embedded
// type; `override` at a method that implements a method of an interface of the workspace.
// `definitions` is null where there is no answer, else a list of [path, line, column], the path null
// where it leads out of the workspace. Packages of other modules are not read: what they declare has
// no answer. Files for another system are skipped.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

type unit struct {
	checker    *types.Checker
	pkg        *types.Package
	files      []*ast.File // of the package itself
	tests      []*ast.File // of the package, in _test.go
	inProgress bool
	done       bool
}

var (
	root    string
	fset    = token.NewFileSet()
	visible = map[string]bool{}
	units   = map[string]*unit{} // by import path; external tests under "path_test"
	std     types.Importer
	info    = &types.Info{
		Uses:       map[*ast.Ident]types.Object{},
		Defs:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
		Types:      map[ast.Expr]types.TypeAndValue{},
		Instances:  map[*ast.Ident]types.Instance{},
	}
)

type source struct{}

func (source) Import(name string) (*types.Package, error) {
	if each, ok := units[name]; ok {
		each.check(name)
		return each.pkg, nil
	}
	if strings.Contains(strings.Split(name, "/")[0], ".") {
		return nil, fmt.Errorf("%s is not read", name)
	}
	return std.Import(name)
}

func (u *unit) check(name string) {
	if u.done || u.inProgress {
		return
	}
	u.inProgress = true
	config := &types.Config{Importer: source{}, Error: func(error) {}, FakeImportC: true}
	u.pkg = types.NewPackage(name, "")
	if len(u.files) > 0 {
		u.pkg.SetName(u.files[0].Name.Name)
	}
	u.checker = types.NewChecker(config, fset, u.pkg, info)
	_ = u.checker.Files(u.files)
	u.pkg.MarkComplete()
	u.inProgress, u.done = false, true
}

func main() {
	root, _ = filepath.EvalSymlinks(os.Args[1])
	std = importer.ForCompiler(fset, "source", nil)
	var names []string
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if lines.Text() != "" {
			names = append(names, lines.Text())
			visible[lines.Text()] = true
		}
	}
	parsed := map[string]*ast.File{}
	modules := modulesOf()
	for _, name := range names {
		folder, base := filepath.Split(filepath.Join(root, name))
		if matches, err := build.Default.MatchFile(folder, base); err != nil || !matches {
			continue
		}
		file, err := parser.ParseFile(fset, filepath.Join(root, name), nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		parsed[name] = file
		importPath := importPathOf(modules, path.Dir(name))
		isTest := strings.HasSuffix(name, "_test.go")
		if isTest && strings.HasSuffix(file.Name.Name, "_test") {
			importPath += "_test"
		}
		each := units[importPath]
		if each == nil {
			each = &unit{}
			units[importPath] = each
		}
		if isTest && !strings.HasSuffix(importPath, "_test") {
			each.tests = append(each.tests, file)
		} else {
			each.files = append(each.files, file)
		}
	}
	var paths []string
	for each := range units {
		paths = append(paths, each)
	}
	sort.Strings(paths)
	for _, each := range paths {
		units[each].check(each)
	}
	for _, each := range paths {
		if u := units[each]; len(u.tests) > 0 {
			_ = u.checker.Files(u.tests)
		}
	}
	overrides := implementations(paths)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	for _, name := range names {
		if file := parsed[name]; file != nil {
			rows := append(placesOf(file), overrides[name]...)
			_ = encoder.Encode([]any{name, rows})
		}
	}
}

// modulesOf maps folders with a go.mod to the module's path.
func modulesOf() map[string]string {
	modules := map[string]string{}
	_ = filepath.WalkDir(root, func(at string, entry os.DirEntry, err error) error {
		if err == nil && entry.Name() == "go.mod" {
			data, _ := os.ReadFile(at)
			for _, line := range strings.Split(string(data), "\n") {
				if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
					folder, _ := filepath.Rel(root, filepath.Dir(at))
					modules[filepath.ToSlash(folder)] = strings.Trim(strings.TrimSpace(rest), `"`)
					break
				}
			}
		}
		return nil
	})
	return modules
}

func importPathOf(modules map[string]string, folder string) string {
	for at := folder; ; at = path.Dir(at) {
		if module, ok := modules[at]; ok {
			if at == "." {
				return path.Join(module, folder)
			}
			return path.Join(module, strings.TrimPrefix(strings.TrimPrefix(folder, at), "/"))
		}
		if at == "." {
			return folder
		}
	}
}

func placesOf(file *ast.File) [][]any {
	var rows [][]any
	called := map[*ast.Ident]bool{}
	receivers := map[*ast.Ident]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		switch each := node.(type) {
		case *ast.SelectorExpr:
			receivers[each.Sel] = receiverOf(each.X)
		case *ast.CallExpr:
			if name := nameOf(each.Fun); name != nil {
				called[name] = true
			}
		case *ast.StructType:
			for _, field := range each.Fields.List {
				if len(field.Names) == 0 {
					rows = appendBase(rows, field.Type)
				}
			}
		case *ast.InterfaceType:
			for _, field := range each.Methods.List {
				if len(field.Names) == 0 {
					rows = appendBase(rows, field.Type)
				}
			}
		}
		return true
	})
	ast.Inspect(file, func(node ast.Node) bool {
		name, ok := node.(*ast.Ident)
		if !ok {
			return true
		}
		object := info.Uses[name]
		if called[name] {
			if _, isBuiltin := object.(*types.Builtin); !isBuiltin {
				rows = append(rows, row("call", name, receivers[name], definitions(object)))
			}
		} else if function, ok := object.(*types.Func); ok {
			rows = append(rows, row("value", name, receivers[name], definitions(function)))
		}
		return true
	})
	return rows
}

func appendBase(rows [][]any, expression ast.Expr) [][]any {
	if star, ok := expression.(*ast.StarExpr); ok {
		expression = star.X
	}
	name := nameOf(expression)
	if name == nil {
		return rows
	}
	receiver := ""
	if selector, ok := expression.(*ast.SelectorExpr); ok {
		receiver = receiverOf(selector.X)
	}
	return append(rows, row("base", name, receiver, definitions(info.Uses[name])))
}

// nameOf is the name that a called expression ends with.
func nameOf(expression ast.Expr) *ast.Ident {
	switch each := ast.Unparen(expression).(type) {
	case *ast.Ident:
		return each
	case *ast.SelectorExpr:
		return each.Sel
	case *ast.IndexExpr:
		if info.Types[each.X].IsType() || isGeneric(each.X) {
			return nameOf(each.X)
		}
	case *ast.IndexListExpr:
		return nameOf(each.X)
	}
	return nil
}

func isGeneric(expression ast.Expr) bool {
	name := nameOf(expression)
	if name == nil {
		return false
	}
	_, ok := info.Uses[name].(*types.Func)
	return ok
}

func receiverOf(expression ast.Expr) string {
	switch each := ast.Unparen(expression).(type) {
	case *ast.Ident:
		return each.Name
	case *ast.SelectorExpr:
		before := receiverOf(each.X)
		if before == "?" || before == "f()" {
			return "?"
		}
		return before + "." + each.Sel.Name
	case *ast.CallExpr:
		return "f()"
	}
	return "?"
}

func row(kind string, name *ast.Ident, receiver string, found any) []any {
	position := fset.Position(name.Pos())
	return []any{kind, position.Line, position.Column - 1, name.Name, receiver, found}
}

func definitions(object types.Object) any {
	if object == nil {
		return nil
	}
	if function, ok := object.(*types.Func); ok {
		object = function.Origin()
	}
	if variable, ok := object.(*types.Var); ok {
		object = variable.Origin()
	}
	return [][]any{definition(object)}
}

func definition(object types.Object) []any {
	if object.Pos().IsValid() {
		position := fset.Position(object.Pos())
		if name, err := filepath.Rel(root, position.Filename); err == nil && visible[filepath.ToSlash(name)] {
			return []any{filepath.ToSlash(name), position.Line, position.Column - 1}
		}
	}
	return []any{nil, 0, 0}
}

// implementations are the rows of methods that implement a method of an interface, by file.
func implementations(paths []string) map[string][][]any {
	var interfaces []*types.Named
	var others []*types.Named
	for _, each := range paths {
		scope := units[each].pkg.Scope()
		for _, name := range scope.Names() {
			object, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || object.IsAlias() {
				continue
			}
			named, ok := object.Type().(*types.Named)
			if !ok || named.TypeParams().Len() > 0 {
				continue
			}
			if contract, ok := named.Underlying().(*types.Interface); !ok {
				others = append(others, named)
			} else if contract.NumMethods() > 0 {
				interfaces = append(interfaces, named)
			}
		}
	}
	rows := map[string][][]any{}
	seen := map[string]bool{}
	for _, named := range interfaces {
		contract := named.Underlying().(*types.Interface)
		for _, other := range others {
			if !types.Implements(types.NewPointer(other), contract) {
				continue
			}
			for i := 0; i < contract.NumMethods(); i++ {
				method := contract.Method(i)
				object, _, _ := types.LookupFieldOrMethod(other, true, method.Pkg(), method.Name())
				function, ok := object.(*types.Func)
				if !ok {
					continue
				}
				at, to := definition(function.Origin()), definition(method.Origin())
				if at[0] == nil || to[0] == nil || at[0] == to[0] && at[1] == to[1] {
					continue
				}
				key := fmt.Sprint(at, to)
				if !seen[key] {
					seen[key] = true
					file := at[0].(string)
					rows[file] = append(rows[file],
						[]any{"override", at[1], at[2], method.Name(), "", [][]any{to}})
				}
			}
		}
	}
	return rows
}
