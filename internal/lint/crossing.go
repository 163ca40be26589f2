package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// A crossing is the time between torch.BeginRaw and the method that ends it, while a
// goroutine holds a slot in native code. A panic would lose the slot forever, and an
// operator in between could wait forever for another slot. So a crossing is a sequence of
// statements in one block that calls only the native function and functions known to be
// harmless. The same holds for functions that receive the goroutine's state, an abi.Ctx,
// and are called inside a crossing.

// harmless are functions, and methods of any type, that do not panic, block or enter
// native code. (Raw.Use ends the crossing before it panics.) Check this before you add a
// name.
var harmless = strings.Fields(`
	len cap min max new make append copy
	bool int int8 int16 int32 int64 uint8 uint16 uint32 uint64 uintptr float32 float64 string
	unsafe.Pointer unsafe.SliceData unsafe.StringData unsafe.String unsafe.Slice
	math.Float32bits math.Float64bits math.Sqrt runtime.KeepAlive
	deviceCode or float integer orNil listOp wholeScalar floatScalar
	.Code .code .Size .or .orFormat .bytes .list .single .whole .arg .args .pointer
	.again .Use`)

// called are functions that take an abi.Ctx and that code inside a crossing calls.
var called = strings.Fields("f .resample putBack shown")

// ends are the methods of torch.Raw that end a crossing.
var ends = strings.Fields("Tensor tensorInto Status End")

// crossings returns the mistakes in a file's crossings.
func crossings(fset *token.FileSet, file *ast.File) []string {
	c := crossing{fset: fset, native: nativeImports(file)}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			c.block(n.List)
		case *ast.CaseClause:
			c.block(n.Body)
		case *ast.CommClause:
			c.block(n.Body)
		case *ast.FuncLit:
			c.function(n.Type, n.Body)
		case *ast.FuncDecl:
			if n.Name.Name == "Crossing" {
				return false // Crossing releases its slot itself, so it may call anything.
			}
			c.function(n.Type, n.Body)
			if n.Body != nil {
				c.unheld(n.Body)
			}
		}
		return true
	})
	return c.wrong
}

type crossing struct {
	fset   *token.FileSet
	native []string // names by which the file imports the native packages
	wrong  []string
}

func nativeImports(file *ast.File) []string {
	var names []string
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil || !below(strings.TrimPrefix(path, module), "cgotorch") {
			continue
		}
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names = append(names, name)
	}
	return names
}

func (c *crossing) report(n ast.Node, format string, args ...any) {
	c.wrong = append(c.wrong, c.fset.Position(n.Pos()).String()+": within a crossing: "+fmt.Sprintf(format, args...))
}

// block checks the crossings that begin in a list of statements.
func (c *crossing) block(list []ast.Stmt) {
	for i, stmt := range list {
		name := begun(stmt)
		if name == "" {
			continue
		}
		rest := list[i+1:]
		end := slices.IndexFunc(rest, func(s ast.Stmt) bool { return finishes(s, name) })
		if end < 0 {
			c.report(stmt, "its end is not in the block of its beginning")
			continue
		}
		for i, s := range rest[:end+1] {
			c.statement(s, name)
			if i < end {
				c.leaving(s, name)
			}
		}
	}
}

// function checks a function that is called inside a crossing. A callback that leaves the
// crossing is not checked.
func (c *crossing) function(typ *ast.FuncType, body *ast.BlockStmt) {
	if len(typ.Params.List) == 0 || text(typ.Params.List[0].Type) != "abi.Ctx" || body == nil {
		return
	}
	leaves := slices.ContainsFunc(body.List, func(s ast.Stmt) bool {
		e, ok := s.(*ast.ExprStmt)
		if !ok {
			return false
		}
		call, ok := e.X.(*ast.CallExpr)
		return ok && text(call.Fun) == "entry.Leave"
	})
	if leaves {
		return
	}
	for _, s := range body.List {
		c.statement(s, "")
	}
}

// begun returns the name r if s is "r := BeginRaw(op)", and "" otherwise.
func begun(s ast.Stmt) string {
	a, ok := s.(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return ""
	}
	call, ok := a.Rhs[0].(*ast.CallExpr)
	if !ok || !strings.HasSuffix("."+text(call.Fun), ".BeginRaw") {
		return ""
	}
	return text(a.Lhs[0])
}

// finishes reports whether s ends the crossing of r on every path.
func finishes(s ast.Stmt, r string) bool {
	any := func(list []ast.Stmt) bool {
		return slices.ContainsFunc(list, func(s ast.Stmt) bool { return finishes(s, r) })
	}
	switch s := s.(type) {
	case nil, *ast.ForStmt, *ast.RangeStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return false
	case *ast.BlockStmt:
		return any(s.List)
	case *ast.IfStmt:
		return any(s.Body.List) && finishes(s.Else, r)
	case *ast.SwitchStmt:
		whole := false // whether there is a default case
		for _, c := range s.Body.List {
			clause := c.(*ast.CaseClause)
			if !any(clause.Body) {
				return false
			}
			whole = whole || clause.List == nil
		}
		return whole
	}
	return ended(s, r)
}

// leaving finds statements that leave the crossing of r before it has ended.
func (c *crossing) leaving(s ast.Stmt, r string) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			if !ended(n, r) {
				c.report(n, "its end is not reached")
			}
		case *ast.BranchStmt:
			c.report(n, "its end is not reached")
		case *ast.FuncLit:
			return false
		}
		return true
	})
}

// ended reports whether a statement ends the crossing of r: by a method, by passing r to
// a function that ends it, or by returning r to the caller.
func ended(s ast.Stmt, r string) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || endsWith(n, r)
		case *ast.ReturnStmt:
			found = found || slices.ContainsFunc(n.Results, func(e ast.Expr) bool { return text(e) == r })
		}
		return !found
	})
	return found
}

func endsWith(call *ast.CallExpr, r string) bool {
	if r == "" {
		return false
	}
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok && text(sel.X) == r {
		return slices.Contains(ends, sel.Sel.Name)
	}
	return slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return text(e) == r })
}

// statement checks the expressions in s that are evaluated before the crossing of r ends.
// If the end of the crossing is an argument of a call, the call runs after the end.
func (c *crossing) statement(s ast.Stmt, r string) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if !ended(&ast.ExprStmt{X: n}, r) && !c.allowed(n.Fun) {
				c.report(n, "calls %s", text(n.Fun))
			}
		case *ast.TypeAssertExpr:
			c.report(n, "a type assertion may panic")
		case *ast.GoStmt, *ast.SendStmt, *ast.SelectStmt, *ast.DeferStmt:
			c.report(n, "a statement may block, or run too late")
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				c.report(n, "a receive may block")
			}
		}
		return true
	})
}

func (c *crossing) allowed(fun ast.Expr) bool {
	switch f := fun.(type) {
	case *ast.ParenExpr:
		return c.allowed(f.X)
	case *ast.StarExpr, *ast.ArrayType: // a conversion
		return true
	case *ast.IndexExpr: // This is a call with type arguments.
		return c.allowed(f.X)
	case *ast.SelectorExpr:
		return slices.Contains(c.native, text(f.X)) || known(text(f)) || known("."+f.Sel.Name)
	}
	return known(text(fun))
}

func known(name string) bool {
	return slices.Contains(harmless, name) || slices.Contains(called, name)
}

// text returns a name or a chain of names as written, or "" for other expressions.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x := text(e.X); x != "" {
			return x + "." + e.Sel.Name
		}
	}
	return ""
}
