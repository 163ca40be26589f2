package transformers_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
)

// python is a folder with the models that the scripts of models/testdata write, each in a
// folder of its name. The first test that needs one runs all of them.
// GOTORCH_TEST_MODELS names a folder that models/testdata/all.py has filled before.
var python = struct {
	dir  string
	once sync.Once
}{dir: os.Getenv("GOTORCH_TEST_MODELS")}

func TestMain(m *testing.M) {
	remove := python.dir == ""
	if remove {
		var err error
		if python.dir, err = os.MkdirTemp("", "gotorch-models"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	code := m.Run()
	if remove {
		_ = os.RemoveAll(python.dir)
	}
	os.Exit(code)
}

// written returns the folder that a script of models/testdata fills, and the names of its
// models.
func written(t *testing.T, script string) (dir string, names []string) {
	t.Helper()
	interpreter := pythontest.Interpreter(t, "torch", "transformers")
	python.once.Do(func() {
		if os.Getenv("GOTORCH_TEST_MODELS") == "" {
			pythontest.Run(t, interpreter, "", filepath.Join("models", "testdata", "all.py"), python.dir)
		}
	})
	dir = filepath.Join(python.dir, script)
	data, err := os.ReadFile(filepath.Join(dir, "names.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &names))
	return dir, names
}
