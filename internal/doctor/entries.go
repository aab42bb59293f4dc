package doctor

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/internal/clients"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// entries finds entries of AI clients that start a program, or an app, which is no longer
// there.
func (d *Doctor) entries(context.Context) (findings []Finding) {
	const subject = "clients"
	system, err := clients.ThisSystem()
	if err != nil {
		return []Finding{{Hint, subject, "the files of AI clients are unknown: " + err.Error(), "set HOME to your folder"}}
	}
	installed := clients.Installed(system, d.root())
	for _, entry := range installed {
		missing, verb := "", "uninstall"
		switch {
		case !entry.FolderExists:
			missing = "the folder " + entry.Folder
		case !entry.ProgramExists:
			missing, verb = "the program "+entry.Command, "install"
		default:
			continue
		}
		findings = append(findings, Finding{Broken, subject,
			fmt.Sprintf("%s can't start %s, since %s doesn't exist (%s)", entry.Client.Name, naming.Printable(entry.Name), naming.Printable(missing), entry.File),
			repair(verb, entry)})
	}
	if len(findings) == 0 && len(installed) > 0 {
		findings = append(findings, Finding{OK, subject, fmt.Sprintf("%d entries start apps that exist", len(installed)), ""})
	}
	return findings
}

// repair returns what to do about an entry. Without a folder, mcp install and mcp uninstall
// don't know whose entry it is.
func repair(verb string, entry clients.Entry) string {
	if entry.Folder == "" {
		return "correct the entry there, or remove it"
	}
	fix := fmt.Sprintf("run: mcp %s %s --client %s --dir %s", verb, entry.Handle, entry.Client.ID, naming.Printable(entry.Folder))
	if verb == "install" && entry.Name != entry.Handle {
		fix += " --name " + naming.Printable(entry.Name)
	}
	if entry.Scope == clients.Project {
		fix += " --scope project"
	}
	return fix
}
