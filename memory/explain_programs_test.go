package memory_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
)

// explained contains programs. At its end, each program returns an explanation of its
// memory.
var explained = map[string]func(t *testing.T) memory.Explanation{
	"CNN": trainCNN, "GPT": trainGPT, "LSTM": trainLSTM, "server": serve, "safetensors": readFile,
}

// Each explanation covers at least 95 % of the program's resident memory.
func TestProgramsAreExplained(t *testing.T) {
	if sanitized.On {
		t.Skip("a sanitizer's own memory is resident too")
	}
	const env, mark = "GOTORCH_TEST_EXPLAIN", "explanation: "
	if name := os.Getenv(env); name != "" {
		e := explained[name](t)
		text, err := json.Marshal(e)
		require.NoError(t, err)
		fmt.Printf("%s%s\n", mark, text)
		return
	}
	needsResident(t)
	for name := range explained {
		t.Run(name, func(t *testing.T) {
			cmd := again.Command("-test.run=^TestProgramsAreExplained$")
			cmd.Env = append(os.Environ(), env+"="+name)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			_, rest, ok := strings.Cut(string(out), mark)
			require.True(t, ok, "%s", out)
			var e memory.Explanation
			require.NoError(t, json.NewDecoder(strings.NewReader(rest)).Decode(&e))
			t.Log("\n" + e.String())
			assert.GreaterOrEqual(t, e.Explained(), 0.95)
			sums(t, e)
			// With the system's allocator the addresses of blocks are unknown.
			if memory.Backend(torch.CPU) == "caching" {
				wants[name](t, e)
			}
		})
	}
}

// wants are the other requirements on each explanation.
var wants = map[string]func(t *testing.T, e memory.Explanation){
	"CNN": func(t *testing.T, e memory.Explanation) {
		params := e.Of(memory.PartParameters)
		assert.InEpsilon(t, cnnBytes, params, 0.1)
		assert.InEpsilon(t, params, e.Of(memory.PartGradients), 0.1)
		assert.InEpsilon(t, 2*params, e.Of(memory.PartOptimizers), 0.1, "Adam's two averages")
		assert.Positive(t, e.Of(memory.PartBuffers), "of the batch norm")
		assert.Greater(t, e.Of(memory.PartHeld), int64(16<<20), "the input of ReLU, for its gradient")
		assert.Zero(t, e.Of(memory.PartTensors))
	},
	"GPT":  func(t *testing.T, e memory.Explanation) { assert.Positive(t, e.Of(memory.PartTensors)) },
	"LSTM": func(t *testing.T, e memory.Explanation) { assert.Positive(t, e.Of(memory.PartTensors)) },
	"server": func(t *testing.T, e memory.Explanation) {
		assert.Positive(t, e.Of(memory.PartStacks))
		assert.Positive(t, e.Of(memory.PartGoStacks))
	},
	"safetensors": func(t *testing.T, e memory.Explanation) {
		assert.InEpsilon(t, fileBytes(), e.Of(memory.PartFiles)+e.Of(memory.PartTensors), 0.05, "mapped or read")
	},
}

const cnnBytes = 4 * (3*64*9 + 64 + 2*64 + 64*14*14*10 + 10)

func trainCNN(*testing.T) memory.Explanation {
	memory.TrackTensors(1)
	model := nn.NewSequential(nn.NewConv2d(3, 64, 3), nn.NewBatchNorm2d(64), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewFlatten(), nn.NewLinear(64*14*14, 10))
	opt := optim.NewAdam(model.Parameters())
	x, y := torch.Randn(torch.Shape{64, 3, 30, 30}), torch.RandInt(0, 10, torch.Shape{64})
	return train(func() *torch.Tensor { return F.CrossEntropy(model.Forward(x), y) }, opt)
}

func trainGPT(*testing.T) memory.Explanation {
	const width, length, words = 64, 32, 256
	table, head := nn.NewEmbedding(words, width), nn.NewLinear(width, words)
	layers := nn.NewTransformerEncoder(nn.NewTransformerEncoderLayer(width, 4, nn.BatchFirst(true)), 2)
	mask := torch.Full(torch.Shape{length, length}, -1e9).Triu(1)
	opt := optim.NewAdamW(append(append(table.Parameters(), head.Parameters()...), layers.Parameters()...))
	x := torch.RandInt(0, words, torch.Shape{16, length})
	return train(func() *torch.Tensor {
		h := layers.Forward(table.Forward(x), nn.Mask(mask))
		return F.CrossEntropy(head.Forward(h).View(-1, words), x.View(-1))
	}, opt)
}

func trainLSTM(*testing.T) memory.Explanation {
	l, head := nn.NewLSTM(16, 64), nn.NewLinear(64, 1)
	opt := optim.NewSGD(append(l.Parameters(), head.Parameters()...), optim.LR(0.01))
	x := torch.Randn(torch.Shape{50, 32, 16})
	return train(func() *torch.Tensor {
		out, _, _ := l.Forward(x, nil, nil)
		return head.Forward(out).Square().Mean()
	}, opt)
}

// train runs training steps and leaves all tensors to the collector. It calls Explain
// while the graph of the last step exists.
func train(loss func() *torch.Tensor, opt optim.Optimizer) (e memory.Explanation) {
	for i := range 20 {
		opt.ZeroGrad()
		l := loss()
		if i == 19 {
			l.Backward(torch.RetainGraph(true))
			e = memory.Explain()
		} else {
			l.Backward()
		}
		opt.Step()
	}
	return e
}

func serve(t *testing.T) memory.Explanation {
	model := nn.NewSequential(nn.NewLinear(256, 512), nn.NewReLU(), nn.NewLinear(512, 10))
	model.Eval()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		torch.NoGrad(func() {
			torch.Scope(func() { _, _ = fmt.Fprintln(w, model.Forward(torch.Ones(torch.Shape{8, 256})).Sum().Item()) })
		})
	}))
	defer server.Close()
	var clients sync.WaitGroup
	for range 32 {
		clients.Go(func() {
			for range 20 {
				r, err := server.Client().Get(server.URL)
				if assert.NoError(t, err) {
					assert.NoError(t, r.Body.Close())
				}
			}
		})
	}
	clients.Wait()
	return memory.Explain()
}

func fileBytes() int64 { return int64(thorough.Or(1<<30, 64<<20)) }

// readFile reads every byte of a file that contains one tensor.
func readFile(t *testing.T) memory.Explanation {
	path := filepath.Join(t.TempDir(), "large.safetensors")
	f, err := os.Create(path)
	require.NoError(t, err)
	head := fmt.Sprintf(`{"w":{"dtype":"F32","shape":[%d],"data_offsets":[0,%d]}}`, fileBytes()/4, fileBytes())
	head += strings.Repeat(" ", 56-len(head)%64+64) // pads the header, so that the file can be mapped
	_, err = f.Write(append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...))
	require.NoError(t, err)
	zeros := make([]byte, 1<<20)
	for range fileBytes() >> 20 {
		_, err := f.Write(zeros)
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
	tensors, err := safetensors.LoadFile(path)
	require.NoError(t, err)
	w := tensors["w"]
	defer w.Close()
	assert.Zero(t, w.Sum().Item())
	return memory.Explain()
}
