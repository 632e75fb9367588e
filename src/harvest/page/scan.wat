;; The hot loop of the page splitter: it scans bytes by the table of grammar.ts up to the next action that
;; concerns records, and string contents, most of a page, sixteen bytes at a time.
(module
  (import "page" "memory" (memory 1))
  ;; Offsets of the stack of states and of the registers in memory, in bytes. The table is at 0.
  (import "page" "STACK" (global $STACK i32))
  (import "page" "REGISTERS" (global $REGISTERS i32))
  (import "page" "MAX_DEPTH" (global $MAX_DEPTH i32))
  ;; States and actions. STRING is 0.
  (import "grammar" "COLON" (global $COLON i32))
  (import "grammar" "OBJECT_FIRST" (global $OBJECT_FIRST i32))
  (import "grammar" "OBJECT_NEXT" (global $OBJECT_NEXT i32))
  (import "grammar" "ARRAY_FIRST" (global $ARRAY_FIRST i32))
  (import "grammar" "ARRAY_NEXT" (global $ARRAY_NEXT i32))
  (import "grammar" "FIRST_ACTION" (global $FIRST_ACTION i32))
  (import "grammar" "BEGIN_NAME" (global $BEGIN_NAME i32))
  (import "grammar" "BEGIN_STRING" (global $BEGIN_STRING i32))
  (import "grammar" "END_NUMBER" (global $END_NUMBER i32))
  (import "grammar" "END_LITERAL" (global $END_LITERAL i32))
  (import "grammar" "OPEN_OBJECT" (global $OPEN_OBJECT i32))
  (import "grammar" "OPEN_ARRAY" (global $OPEN_ARRAY i32))
  (import "grammar" "CLOSE" (global $CLOSE i32))

  ;; Continues at address $at. Returns the address of the byte that has the action in the register "action",
  ;; or one from $end on without an action.
  (func (export "scan") (param $at i32) (param $end i32) (result i32)
    (local $state i32) (local $after i32) (local $ended i32) (local $depth i32)
    (local $cell i32) (local $bytes v128) (local $marks i32)
    (local.set $state (i32.load offset=0 (global.get $REGISTERS)))
    (local.set $after (i32.load offset=4 (global.get $REGISTERS)))
    (local.set $ended (i32.load offset=8 (global.get $REGISTERS)))
    (local.set $depth (i32.load offset=12 (global.get $REGISTERS)))
    (block $leave
      (loop $next
        (if (i32.eqz (local.get $state))
          (then
            (loop $string
              (br_if $leave (i32.ge_u (local.get $at) (local.get $end)))
              (local.set $bytes (v128.load (local.get $at)))
              (local.set $marks
                (i8x16.bitmask
                  (v128.or
                    (v128.or
                      (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
                      (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c))))
                    (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20))))))
              (if (i32.eqz (local.get $marks))
                (then
                  (local.set $at (i32.add (local.get $at) (i32.const 16)))
                  (br $string))))
            (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $marks))))
            (br_if $leave (i32.ge_u (local.get $at) (local.get $end)))
            (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x22))
              (then
                (local.set $state (local.get $ended))
                (local.set $at (i32.add (local.get $at) (i32.const 1)))
                (br $next)))))
        (br_if $leave (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $cell
          (i32.load16_u
            (i32.shl (i32.or (local.get $state) (i32.load8_u (local.get $at))) (i32.const 1))))
        (if (i32.lt_u (local.get $cell) (global.get $FIRST_ACTION))
          (then
            (local.set $state (local.get $cell))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br $next)))
        (block $done
          (if (i32.eq (local.get $cell) (global.get $BEGIN_NAME))
            (then
              (local.set $ended (global.get $COLON))
              (local.set $state (i32.const 0))
              (br $done)))
          (if (i32.eq (local.get $cell) (global.get $BEGIN_STRING))
            (then
              (local.set $ended (local.get $after))
              (local.set $state (i32.const 0))
              (br $done)))
          (if (i32.eq (local.get $cell) (global.get $END_LITERAL))
            (then
              (local.set $state (local.get $after))
              (br $done)))
          ;; A number ends before this byte, so the byte is looked up again.
          (if (i32.eq (local.get $cell) (global.get $END_NUMBER))
            (then
              (local.set $state (local.get $after))
              (br $next)))
          (if (i32.eq (local.get $cell) (global.get $CLOSE))
            (then
              (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
              (local.set $after
                (i32.load16_u
                  (i32.add (global.get $STACK) (i32.shl (local.get $depth) (i32.const 1)))))
              (local.set $state (local.get $after))
              (br $done)))
          (br_if $leave
            (i32.and
              (i32.ne (local.get $cell) (global.get $OPEN_OBJECT))
              (i32.ne (local.get $cell) (global.get $OPEN_ARRAY))))
          (br_if $leave (i32.eq (local.get $depth) (global.get $MAX_DEPTH)))
          (i32.store16
            (i32.add (global.get $STACK) (i32.shl (local.get $depth) (i32.const 1)))
            (local.get $after))
          (local.set $depth (i32.add (local.get $depth) (i32.const 1)))
          (if (i32.eq (local.get $cell) (global.get $OPEN_OBJECT))
            (then
              (local.set $after (global.get $OBJECT_NEXT))
              (local.set $state (global.get $OBJECT_FIRST)))
            (else
              (local.set $after (global.get $ARRAY_NEXT))
              (local.set $state (global.get $ARRAY_FIRST)))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (i32.store offset=0 (global.get $REGISTERS) (local.get $state))
    (i32.store offset=4 (global.get $REGISTERS) (local.get $after))
    (i32.store offset=8 (global.get $REGISTERS) (local.get $ended))
    (i32.store offset=12 (global.get $REGISTERS) (local.get $depth))
    (i32.store offset=16 (global.get $REGISTERS) (local.get $cell))
    (local.get $at)))
