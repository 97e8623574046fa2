package ns3

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fabriclab/base/file"
	"fabriclab/harness/engine"
)

// The versions that the module was tried with: ns-3 3.N. FabricNs3.cmake has
// the same ones.
const (
	oldest = 37
	newest = 48
)

// modules are what the runner links.
var modules = []string{"core", "network", "stats"}

const configureAndBuild = "./ns3 configure --enable-modules='core;network;stats;internet;traffic-control;bridge;applications;point-to-point' && ./ns3 build"

var errNone = errors.New("there is no ns-3 in it (no include/ns3/core-module.h, no build/include/ns3/core-module.h); name the folder that ns-3 was installed to, or its source folder, in which it was built")

// at takes a folder for an ns-3: a prefix it was installed to, the source
// folder it was built in, or the folder of its CMake package in one of these.
func at(dir string) (engine.Installation, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return engine.Installation{}, err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return engine.Installation{}, fmt.Errorf("%w: there is no such folder; correct it, or leave it out to search for ns-3", errNone)
	}
	for _, root := range roots(dir) {
		for _, prefix := range []string{root, filepath.Join(root, "build")} {
			if file.Exists(filepath.Join(prefix, "include", "ns3", "core-module.h")) {
				return installation(root, prefix)
			}
		}
	}
	switch {
	case file.Exists(filepath.Join(dir, "ns3")) && file.Exists(filepath.Join(dir, "src", "core")):
		return engine.Installation{}, errors.New("it is ns-3's source and was not built; in that folder: " + configureAndBuild)
	case len(cores(dir)) > 0:
		return engine.Installation{}, errors.New("it has ns-3's libraries but no include/ns3/core-module.h; install the headers, too (Debian, Ubuntu: libns3-dev)")
	}
	return engine.Installation{}, errNone
}

// roots are the folders that a folder may stand for: itself, and those above it
// if it is that of a CMake package.
func roots(dir string) []string {
	all := []string{dir}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return all
	}
	parent := filepath.Dir(resolved)
	switch {
	case filepath.Base(resolved) == "cmake-cache":
		all = append(all, parent)
	case filepath.Base(resolved) == "ns3" && filepath.Base(parent) == "cmake":
		for up := filepath.Dir(parent); up != "/"; up = filepath.Dir(up) {
			all = append(all, up)
		}
	}
	return all
}

// coreLibrary is the file name of the library core: with a version, such as
// libns3.48-core-default.so, or without, as in Debian.
var coreLibrary = regexp.MustCompile(`^libns(3[^-]*|3-[^-]+)-core(-[a-z]+)?\.so$`)

// cores are the libraries core of a prefix. Of folders that are one, such as a
// link lib64 to lib, the first counts.
func cores(prefix string) []string {
	var all []string
	seen := map[string]bool{}
	for _, folder := range []string{"lib", "lib64", "lib/*"} {
		for _, path := range file.Glob(prefix, filepath.Join(folder, "libns3*-core*.so")) {
			m := coreLibrary.FindStringSubmatch(filepath.Base(path))
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if place := filepath.Join(dir, filepath.Base(path)); err == nil && m != nil && m[2] != "-test" && !seen[place] {
				seen[place] = true
				all = append(all, path)
			}
		}
	}
	return all
}

var profileLine = regexp.MustCompile(`(?m)^BUILD_PROFILE = '([a-z]+)'`)

// installation is the ns-3 of a folder, whose headers and libraries are below
// prefix.
func installation(root, prefix string) (engine.Installation, error) {
	found := cores(prefix)
	if len(found) > 1 { // builds with several profiles: the last one that was configured
		if lock, err := os.ReadFile(filepath.Join(root, ".lock-ns3_linux_build")); err == nil {
			if m := profileLine.FindSubmatch(lock); m != nil {
				suffix := strings.TrimSuffix("-"+string(m[1]), "-release")
				found = slices.DeleteFunc(found, func(path string) bool {
					return coreLibrary.FindStringSubmatch(filepath.Base(path))[2] != suffix
				})
			}
		}
	}
	switch {
	case len(found) == 0 && root != prefix:
		return engine.Installation{}, errors.New("it was configured and not built; in that folder: ./ns3 build")
	case len(found) == 0:
		return engine.Installation{}, errors.New("it has ns-3's headers but no lib/libns3*-core*.so; install the shared libraries, too (a static or monolithic build will not do)")
	case len(found) > 1:
		return engine.Installation{}, fmt.Errorf("it has several ns-3s: %s; remove those that its headers are not of, or name another folder", strings.Join(found, ", "))
	}
	core := found[0]
	version := versionOf(core)
	if version == "" {
		return engine.Installation{}, fmt.Errorf("the version of %s is in neither its name nor cmake/ns3/ns3ConfigVersion.cmake beside it; install that, or name another ns-3", core)
	}
	is := engine.Installation{Path: root, Version: version, CMake: []string{"-DFABRIC_NS3_DIR=" + root}}
	switch n := minor(version); {
	case n < oldest:
		return engine.Installation{}, fmt.Errorf("ns-3 %s is too old, fabriclab works with 3.%d and newer; name a newer one with --ns3 DIR", version, oldest)
	case n > newest:
		is.Note = fmt.Sprintf("newer than 3.%d, the newest that was tried", newest)
	}
	for _, module := range modules {
		name := strings.Replace(filepath.Base(core), "-core", "-"+module, 1)
		library := filepath.Join(filepath.Dir(core), name)
		if !file.Exists(library) {
			return engine.Installation{}, fmt.Errorf("it has no module %s (%s); build ns-3 with it: %s", module, name, configureAndBuild)
		}
		is.Libraries = append(is.Libraries, library)
	}
	return is, nil
}

var packageVersion = regexp.MustCompile(`set\(PACKAGE_VERSION "([^"]+)"\)`)

// versionOf is in the name of the library core, or in the CMake package beside it.
func versionOf(core string) string {
	if v := coreLibrary.FindStringSubmatch(filepath.Base(core))[1]; v != "3" {
		return v
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(core), "cmake", "ns3", "ns3ConfigVersion.cmake"))
	if m := packageVersion.FindSubmatch(text); err == nil && m != nil {
		return string(m[1])
	}
	return ""
}

// minor is N of 3.N; what has none is between releases, such as 3-dev.
func minor(version string) int {
	_, rest, _ := strings.Cut(version, ".")
	number, _, _ := strings.Cut(rest, ".")
	if n, err := strconv.Atoi(number); err == nil {
		return n
	}
	return newest + 1
}
