package soak

// Job is one kind of work. Run takes from milliseconds to about a second, and leaves only
// garbage behind. An error, or a panic with a *torch.Error, is a failure of the soak.
type Job struct {
	Name   string
	Weight int // how often the job is chosen, relative to the weights of the other jobs
	Run    func(w *Worker) error
}

// Work returns every job.
func Work() []Job {
	return []Job{
		{"train in scopes", 20, trainInScopes},
		{"train without scopes", 5, trainWithoutScopes},
		{"autocast", 10, autocast},
		{"garbage", 20, garbage},
		{"scalars", 10, scalars},
		{"small operators", 10, smallOperators},
		{"random operators", 20, randomOperators},
		{"views", 10, views},
		{"shared slices", 5, sharedSlices},
		{"graphs", 10, graphs},
		{"hooks", 10, hooks},
		{"hooks on themselves", 10, selfHooks},
		{"failed backward passes", 10, failedBackward},
		{"custom functions", 10, customFunctions},
		{"hand over", 10, handOver},
		{"goroutines that fail", 5, failingGoroutines},
		{"mistakes", 10, mistakes},
		{"look on", 5, lookOn},
		{"history", 2, history},
		{"profile", 2, profile},
		{"empty the cache", 1, emptyCache},
		{"batching", 5, batched},
		{"example", 3, example},
		{"loaders", 5, loaders},
		{"two ranks", 5, twoRanks},
		{"captured steps", 10, capturedSteps},
	}
}

// choose returns one of jobs, given a number from 0 to the sum of the jobs' weights.
func choose(jobs []Job, at int) Job {
	for _, j := range jobs {
		if at -= j.Weight; at < 0 {
			return j
		}
	}
	return jobs[len(jobs)-1]
}

func totalWeight(jobs []Job) (sum int) {
	for _, j := range jobs {
		sum += j.Weight
	}
	return sum
}
