package data

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/goroutine"
)

// WorkerInfo says which of the workers of a loader calls. Follows
// torch.utils.data.get_worker_info.
type WorkerInfo struct {
	ID         int   // from 0 to NumWorkers-1
	NumWorkers int   // 0 where the loader has no workers and the goroutine of the loop calls
	Seed       int64 // what the worker's random generator was seeded with; 0 without workers
}

// Has reports whether example i of a stream is this worker's, where worker w of n takes
// those with i % n = w. Without workers all are.
func (w WorkerInfo) Has(i int) bool { return w.NumWorkers <= 1 || i%w.NumWorkers == w.ID }

// String returns "WorkerInfo(id=0, num_workers=2, seed=7)".
func (w WorkerInfo) String() string {
	return fmt.Sprintf("WorkerInfo(id=%d, num_workers=%d, seed=%d)", w.ID, w.NumWorkers, w.Seed)
}

// infos has the WorkerInfo of each goroutine that is a worker.
var infos goroutine.Local[WorkerInfo]

// GetWorkerInfo returns which worker of a loader the calling goroutine is, for the Get of
// a dataset and the functions that a loader was given. It is nil on all other
// goroutines, the loop's among them. Follows torch.utils.data.get_worker_info.
func GetWorkerInfo() *WorkerInfo {
	w := infos.Get()
	if w == nil {
		return nil
	}
	out := *w
	return &out
}

// within runs fn with w as the goroutine's WorkerInfo.
func (w WorkerInfo) within(fn func()) {
	infos.Set(&w)
	defer infos.Delete()
	fn()
}
