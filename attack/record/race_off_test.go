//go:build !race

package record

// manyOutcomes is how many outcomes the memory test records.
const manyOutcomes = 10_000_000
