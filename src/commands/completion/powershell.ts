import type { Node } from './tree.ts';

/** The script of PowerShell 5 and later. Where it offers nothing, PowerShell offers paths. */
export function powershell(tree: readonly Node[]): string {
  // The old PowerShell reads scripts in the code page of the system.
  const json = JSON.stringify(tree).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `# PowerShell completion for doi-cli. It runs no program, and nothing that is on the command line.
Register-ArgumentCompleter -Native -CommandName doi-cli -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $tree = @'
${json}
'@ | ConvertFrom-Json
  $program = $tree[0]
  $node = $program
  $option = $null
  $operands = 0
  $before = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition })
  foreach ($element in ($before | Select-Object -Skip 1)) {
    $text = $element.Extent.Text
    if ($option) { $option = $null; continue }
    if ($text -ceq '--') { return }
    if ($text.StartsWith('--') -and $text.Contains('=')) { continue }
    if ($text.StartsWith('-')) {
      $option = @($node.options) + @($program.options) | Where-Object { $_.value -and $_.names -ccontains $text } |
        Select-Object -First 1
      continue
    }
    if ($node.path -ceq '' -and $text -ceq 'help') { continue }
    $next = $tree | Where-Object { $_.path -ceq ($node.path + ' ' + $text) }
    if ($next) { $node = $next } else { $operands += 1 }
  }
  $all = @($node.options)
  if ($node.path -cne '') { $all += $program.options }
  $word = $wordToComplete
  $front = ''
  if (-not $option -and $word.StartsWith('--') -and $word.Contains('=')) {
    $front = $word.Substring(0, $word.IndexOf('=') + 1)
    $word = $word.Substring($front.Length)
    $option = $all | Where-Object { $_.value -and $_.names -ccontains $front.TrimEnd('=') } | Select-Object -First 1
  }
  if ($option) {
    $offers = $option.value
  } elseif ($word.StartsWith('-')) {
    $offers = $all | ForEach-Object { @{ name = $_.names[0]; description = $_.description } }
  } else {
    $offers = $node.operands[$operands]
  }
  if ($offers -is [string]) { return }
  # A list takes each word once.
  $list = ''
  if ($option -and $option.several) { $list = $word.Substring(0, $word.LastIndexOf(',') + 1) }
  $chosen = $list.Split(',')
  foreach ($offer in $offers) {
    $name = $offer.name
    if (-not $name.StartsWith($word.Substring($list.Length)) -or $chosen -ccontains $name) { continue }
    $tip = if ($offer.description) { $offer.description } else { $name }
    [System.Management.Automation.CompletionResult]::new($front + $list + $name, $name, 'ParameterValue', $tip)
  }
}
`;
}
