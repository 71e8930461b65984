package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
)

// The gate holds ratios of processor time to the floor against recorded ones. It holds no rates and
// no times: those of a shared machine move by far more than a change does.

const (
	// ratiosFile has the recorded ratios by row. The path is relative to the repository.
	ratiosFile = "bench/testdata/ratios.json"
	// tolerance is how much worse than recorded a ratio may be.
	tolerance = 0.10
	// gateRounds is how many turns the medians of the gate have at least.
	gateRounds = 5
)

// judge records the ratios or compares them with the recorded ones, as the flags ask.
func judge(o options, rows []costRow, medians []cost) error {
	if !o.Gate && !o.Update {
		return nil
	}
	measured := map[string]float64{}
	for i, row := range rows {
		if row.gated && medians[i].ratio > 0 {
			measured[row.name] = medians[i].ratio
		}
	}
	if len(measured) == 0 {
		return errors.New("no ratio was measured: processor times are known on Linux alone, and -setups may have left out a row or its floor")
	}
	if o.Update {
		return writeRatios(ratiosFile, measured)
	}
	recorded, err := readRatios(ratiosFile)
	if err != nil {
		return err
	}
	return worse(recorded, measured)
}

// worse returns an error for each ratio that is missing on either side, or more than the tolerance
// above the recorded one.
func worse(recorded, measured map[string]float64) error {
	var failures []error
	for _, row := range slices.Sorted(maps.Keys(recorded)) {
		was, now := recorded[row], measured[row]
		switch {
		case now == 0:
			failures = append(failures, fmt.Errorf("%q was not measured", row))
		case now > was*(1+tolerance):
			failures = append(failures, fmt.Errorf("%q costs %.2f times its floor, recorded are %.2f: %.0f %% worse, %.0f %% are allowed",
				row, now, was, 100*(now/was-1), 100*tolerance))
		}
	}
	for _, row := range slices.Sorted(maps.Keys(measured)) {
		if recorded[row] == 0 {
			failures = append(failures, fmt.Errorf("%q is not in %s: record it with -update", row, ratiosFile))
		}
	}
	return errors.Join(failures...)
}

func readRatios(path string) (ratios map[string]float64, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the recorded ratios: run this in the repository: %w", err)
	}
	if err := json.Unmarshal(text, &ratios); err != nil {
		return nil, fmt.Errorf("read the recorded ratios of %s: %w", path, err)
	}
	return ratios, nil
}

func writeRatios(path string, ratios map[string]float64) error {
	for row, r := range ratios {
		ratios[row] = float64(int(r*100+0.5)) / 100
	}
	text, err := json.MarshalIndent(ratios, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o600)
}
