package data

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/goroutine"
)

// WorkerInfo identifies a worker of a loader. Follows torch.utils.data.get_worker_info.
type WorkerInfo struct {
	ID         int   // from 0 to NumWorkers-1
	NumWorkers int   // 0 if the loader has no workers
	Seed       int64 // the seed of the worker's random generator; 0 if the loader has no workers
}

// Has reports whether this worker should yield example i of a stream. Worker w of n workers
// yields the examples i with i % n = w. Without workers Has returns true.
func (w WorkerInfo) Has(i int) bool { return w.NumWorkers <= 1 || i%w.NumWorkers == w.ID }

// String returns a string such as "WorkerInfo(id=0, num_workers=2, seed=7)".
func (w WorkerInfo) String() string {
	return fmt.Sprintf("WorkerInfo(id=%d, num_workers=%d, seed=%d)", w.ID, w.NumWorkers, w.Seed)
}

// workerInfos maps each worker's goroutine to its WorkerInfo.
var workerInfos goroutine.Local[WorkerInfo]

// GetWorkerInfo returns the WorkerInfo of the calling goroutine. A dataset's Get, and
// functions that are options of a loader, may call GetWorkerInfo. It returns nil on
// goroutines that are not workers, such as the loop's. Follows
// torch.utils.data.get_worker_info.
func GetWorkerInfo() *WorkerInfo {
	w := workerInfos.Get()
	if w == nil {
		return nil
	}
	out := *w
	return &out
}

// runWith runs fn with w as the goroutine's WorkerInfo.
func (w WorkerInfo) runWith(fn func()) {
	workerInfos.Set(&w)
	defer workerInfos.Delete()
	fn()
}
