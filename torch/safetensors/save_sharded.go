package safetensors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/torch"
)

// SaveSharded writes tensors to a folder, which it makes if there is none, in files of at
// most [MaxShardSize] bytes of tensors: model-00001-of-00003.safetensors and so on, and
// model.safetensors.index.json, which says where each tensor is. What fits into one file is
// model.safetensors, without an index. Tensors are dealt out in the alphabetical order of
// their names. Files of an earlier set with the same [FilenamePattern] that are not of this
// one are removed in the end; the index comes last, so until then a reader finds the old
// one. Tensors that share memory are written once, and those that are not contiguous as if
// they were, unless [RemoveDuplicates] and [ForceContiguous] say otherwise.
//
// Each file has the metadata "format": "pt", which transformers asks for; those of
// [Metadata] are in the index, or in the one file. Its errors are those of [SaveFile]. It
// follows save_torch_state_dict of huggingface_hub.
func SaveSharded(tensors map[string]*torch.Tensor, dir string, opts ...ShardOption) error {
	s := readSharding("safetensors.SaveSharded", opts)
	all, err := s.list(tensors)
	if err != nil {
		return err
	}
	defer all.close()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return ioFault(dir, "", err)
	}
	shards := split(all, s.most)
	names := make([]string, 0, len(shards)+1)
	fileOf := map[string]string{}
	for i, shard := range shards {
		name := strings.Replace(s.pattern, suffix, fmt.Sprintf("-%05d-of-%05d", i+1, len(shards)), 1)
		if len(shards) == 1 {
			name = s.single()
		}
		for _, e := range shard {
			fileOf[e.name] = name
		}
		names = append(names, name)
	}
	metadata := map[string]string{"format": "pt"}
	if len(shards) == 1 {
		maps.Copy(metadata, s.metadata)
	}
	for i, shard := range shards {
		if err := shard.writeFile(filepath.Join(dir, names[i]), s.op, metadata); err != nil {
			return err
		}
	}
	if len(shards) > 1 {
		if err := s.writeIndex(dir, all.bytes(), fileOf); err != nil {
			return err
		}
		names = append(names, s.single()+indexExtension)
	}
	return s.removeOthers(dir, names)
}

// single is what the only file is called.
func (s *saving) single() string { return strings.Replace(s.pattern, suffix, "", 1) }

// split deals tensors out in their order. One that is too large has a file of its own, and
// there is one file at least.
func split(all list, most int64) []list {
	var shards []list
	var current list
	size := int64(0)
	for _, e := range all {
		if e.bytes > most {
			shards = append(shards, list{e})
			continue
		}
		if size+e.bytes > most {
			shards = append(shards, current)
			current, size = nil, 0
		}
		current = append(current, e)
		size += e.bytes
	}
	if len(current) > 0 || len(shards) == 0 {
		shards = append(shards, current)
	}
	return shards
}

func (s *saving) writeIndex(dir string, total int64, fileOf map[string]string) error {
	metadata := map[string]any{"total_size": total}
	for k, v := range s.metadata {
		metadata[k] = v
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(map[string]any{"metadata": metadata, "weight_map": fileOf})
	path := filepath.Join(dir, s.single()+indexExtension)
	if err == nil {
		err = wholefile.Write(path, func(w io.Writer) error {
			_, err := w.Write(b.Bytes())
			return err
		})
	}
	if err != nil {
		return ioFault(path, "cannot be written", err)
	}
	return nil
}

// removeOthers removes the files of an earlier set.
func (s *saving) removeOthers(dir string, names []string) error {
	before, after, _ := strings.Cut(s.pattern, suffix)
	old := regexp.MustCompile("^" + regexp.QuoteMeta(before) + `(-\d{5}-of-\d{5})?` + regexp.QuoteMeta(after) + "(" + regexp.QuoteMeta(indexExtension) + ")?$")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ioFault(dir, "", err)
	}
	for _, e := range entries {
		if e.IsDir() || !old.MatchString(e.Name()) || slices.Contains(names, e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if err := os.Remove(path); err != nil {
			return ioFault(path, "of an earlier set, cannot be removed", err)
		}
	}
	return nil
}
