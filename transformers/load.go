package transformers

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/files"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/weights"
)

// A maker makes a model from its config.json. names are those of the tensors in its files.
type maker[M nn.Module] func(config []byte, names []string, opts ...models.NewOption) (M, error)

// made returns a maker of a package's functions.
func made[C any, T, M nn.Module](
	parse func([]byte) (C, error), newModel func(C, ...models.NewOption) (T, error),
) maker[M] {
	return func(config []byte, _ []string, opts ...models.NewOption) (m M, err error) {
		c, err := parse(config)
		if err != nil {
			return m, err
		}
		t, err := newModel(c, opts...)
		if err != nil {
			return m, err
		}
		return any(t).(M), nil
	}
}

// find returns a folder's config.json and the maker for its model_type.
func find[M nn.Module](dir string, makers map[string]maker[M]) (config []byte, newModel maker[M], err error) {
	config, err = readFile(dir, "config.json")
	if err != nil {
		return nil, nil, err
	}
	var kind struct {
		ModelType string `json:"model_type"`
	}
	if err := json.Unmarshal(config, &kind); err != nil {
		return nil, nil, fmt.Errorf("%w: config.json: %w", torch.ErrFormat, err)
	}
	newModel, ok := makers[kind.ModelType]
	if !ok {
		return nil, nil, fmt.Errorf("%w: config.json: model_type %q is not one of %s", torch.ErrUnsupported,
			kind.ModelType, strings.Join(slices.Sorted(maps.Keys(makers)), ", "))
	}
	return config, newModel, nil
}

// load is read for exported functions. op is the one that errors mention.
func load[M nn.Module](op, dir string, makers map[string]maker[M], opts []models.NewOption) (M, error) {
	m, err := read(dir, makers, opts)
	if err != nil {
		return m, fmt.Errorf("%s: %w", op, err)
	}
	return m, nil
}

// read makes the model that a folder's config.json describes and loads its weights. makers
// has a maker for each model_type.
func read[M nn.Module](dir string, makers map[string]maker[M], opts []models.NewOption) (m M, err error) {
	config, newModel, err := find(dir, makers)
	if err != nil {
		return m, err
	}
	file, err := weights.Open(dir, weightOptions(opts)...)
	if err != nil {
		return m, err
	}
	defer func() { _ = file.Close() }()
	if err := checkLayers(config, len(file.Names())); err != nil {
		return m, err
	}
	made, err := newModel(config, file.Names(), onMeta(opts)...)
	if err != nil {
		return m, err
	}
	base := made.ModuleBase()
	state := []nn.LoadOption{nn.Assign(true)}
	if r, ok := any(made).(interface{ LoadOptions() []nn.LoadOption }); ok {
		state = append(state, r.LoadOptions()...)
	}
	if err := base.LoadStateDict(file, state...); err != nil {
		_ = base.Close()
		return m, err
	}
	if t, ok := any(made).(tied); ok {
		t.TieWeights()
	}
	base.Eval()
	return made, nil
}

// checkLayers returns an error if a model has more layers than its files have tensors. Without
// it, a small config.json could ask for much memory.
func checkLayers(config []byte, tensors int) error {
	var sizes map[string]any
	if err := json.Unmarshal(config, &sizes); err != nil {
		return fmt.Errorf("%w: config.json: %w", torch.ErrFormat, err)
	}
	for _, part := range []string{"text_config", "vision_config"} {
		if inner, ok := sizes[part].(map[string]any); ok {
			for name, n := range inner {
				sizes[part+"."+name] = n
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		n, ok := sizes[name].(float64)
		counts := strings.HasSuffix(name, "layers") && !strings.HasSuffix(name, "max_window_layers") ||
			strings.HasSuffix(name, "n_layer")
		if ok && counts && n > float64(tensors) {
			return fmt.Errorf("%w: config.json: %s is %v, but the files have only %d tensors", torch.ErrFormat, name,
				n, tensors)
		}
	}
	return nil
}

// maxConfig is the greatest size of the JSON files of a model, except of its tokenizer.
const maxConfig = 64 << 20

// readFile reads a file of a model's folder.
func readFile(dir, name string) ([]byte, error) {
	return files.Read(filepath.Join(dir, name), maxConfig)
}
