# A formula for Homebrew. scripts/packaging.mjs fills in what is in capitals.
class DoiCli < Formula
  desc "API keys, DOI harvesting and DOI maintenance for DataCite"
  homepage "https://github.com/OWNER/doi-cli"
  url "https://registry.npmjs.org/doi-cli/-/doi-cli-VERSION.tgz"
  sha256 "PACKAGE_SHA256"
  license "MIT"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/doi-cli --version")
    exec = "#{bin}/doi-cli emulator exec --records 30 --"
    assert_match(/^\d+$/, shell_output("#{exec} #{bin}/doi-cli dois list --count"))
  end
end
