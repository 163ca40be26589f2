package transformers

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	config, err = os.ReadFile(filepath.Join(dir, "config.json"))
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
