package data_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// Methods called on nil, or on values that were not made by a constructor, either panic
// with ErrNil or do nothing.
func TestReceiversThatNobodyMade(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	listed := map[string]bool{}
	for _, x := range []struct {
		null   any
		usable bool // whether methods of the zero value must work
	}{
		{null: (*data.CSVDataset)(nil)},
		{null: (*data.CacheDataset)(nil)},
		{null: (*data.ChainDataset)(nil)},
		{null: (*data.ConcatDataset)(nil)},
		{null: (*data.DatasetFolder)(nil)},
		{null: (*data.DistributedSampler)(nil)},
		{null: (*data.FakeData)(nil)},
		{null: (*data.FuncDataset)(nil)},
		{null: (*data.IDX)(nil), usable: true},
		{null: (*data.Iter)(nil)},
		{null: (*data.Loader)(nil)},
		{null: (*data.StackDataset)(nil)},
		{null: (*data.Subset)(nil)},
		{null: (*data.Table)(nil), usable: true},
		{null: (*data.TensorDataset)(nil)},
		{null: (*data.TransformDataset)(nil)},
		{null: (*data.WebDataset)(nil)},
		{null: (*data.WebSample)(nil), usable: true},
	} {
		null := reflect.ValueOf(x.null)
		name := null.Type().Elem().Name()
		listed[name] = true
		receivers := []reflect.Value{null}
		if !x.usable {
			receivers = append(receivers, reflect.New(null.Type().Elem()))
		}
		for _, r := range receivers {
			for i := range r.NumMethod() {
				method := r.Type().Method(i)
				if _, ofValue := r.Type().Elem().MethodByName(method.Name); ofValue {
					continue // a method with a value receiver cannot be called on nil
				}
				op := fmt.Sprintf("data.%s.%s", name, method.Name)
				err := torch.Try(func() { r.Method(i).Call(zeros(method.Type)) })
				if err == nil {
					continue
				}
				assert.ErrorIs(t, err, torch.ErrNil, op)
				assert.Contains(t, err.Error(), "data."+name+".", op)
			}
		}
		if _, ofValue := null.Type().Elem().MethodByName("String"); !ofValue && null.MethodByName("String").IsValid() {
			assert.True(t, strings.HasSuffix(fmt.Sprint(x.null), "(nil)"), "%s prints %q", name, fmt.Sprint(x.null))
		}
	}
	for name := range pointerReceivers(t) {
		assert.True(t, listed[name], "%s is not in the table", name)
	}
}

// zeros returns arguments for a call of method: zero values and, for a parameter of function
// type, a function that returns false. It leaves out variadic arguments.
func zeros(method reflect.Type) (in []reflect.Value) {
	for k := 1; k < method.NumIn(); k++ {
		arg := method.In(k)
		switch {
		case method.IsVariadic() && k == method.NumIn()-1:
		case arg.Kind() == reflect.Func:
			in = append(in, reflect.MakeFunc(arg, func([]reflect.Value) []reflect.Value {
				return []reflect.Value{reflect.ValueOf(false)}
			}))
		default:
			in = append(in, reflect.Zero(arg))
		}
	}
	return in
}

// pointerReceivers returns the exported types of the package that have methods with
// pointer receivers. It leaves out error types, whose values only the package makes.
func pointerReceivers(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	names := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || strings.HasSuffix(name, "_test.go") {
				continue
			}
			star, ok := f.Recv.List[0].Type.(*ast.StarExpr)
			if !ok || !f.Name.IsExported() {
				continue
			}
			of := star.X.(*ast.Ident).Name
			// The methods of an ImageFolder are those of its embedded DatasetFolder,
			// which Go dereferences before it calls them.
			if ast.IsExported(of) && !strings.HasSuffix(of, "Error") && of != "ImageFolder" {
				names[of] = true
			}
		}
	}
	return names
}
