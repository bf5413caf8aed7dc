"""The names of all facts that speak for or against a step of the search, in groups, and their columns in the tables.

What a step is worth is the sum of its features' values times their weights.
"""

from __future__ import annotations

PAIR = (
    "blank same same_trivial same_len same_dup same_trivial_dup loose loose_abbreviated like like_by like_words "
    "like_first like_first_not identity_same identity_other identity_known identity_kind like_comment like_mixed "
    "like_same_elsewhere like_line_shown quoted_by_words parent_same parent_like parent_other parent_new parent_none "
    "ancestors named named_not shift_same shift_other note_pair dots_pair same_shown_twice several respaced "
    "like_parent_other like_parent_new note_quotes owner_same owner_other owner_new like_owner_other like_owner_new "
    "like_though_loose told_inside told_outside loose_prefix like_elided like_elided_code like_opens said_adds "
    "said_changes said_placed said_adds_other rewrapped like_rivals identity_other_used drops_comment like_underline "
    "like_kind_same loose_opens loose_closer like_closer like_replaced like_replaced_not "
    "loose_gaps like_alike stub stub_said stub_marked"
).split()
NEXT = "next_shift_same next_shift_other next_blank next_from_new next_from_deleted next_new_deeper".split()
ROW_NEW = (
    "new new_blank new_comment new_declared new_known new_known_trivial new_dots new_like new_note new_header_like "
    "new_said_adds new_said_changes new_named_alone new_dressed"
).split()
NEW_AT = (
    "fits_before fits_behind fits_opener fits_none captures ends_block ends_file begins_file blank_behind "
    "blank_before declared_at_boundary declared_inside statement_at_boundary first_same_before first_same_behind "
    "inside_parent outside_parent inside_named outside_named import_far deeper_than_before "
    "in_told out_told at_told off_told at_meant off_meant at_replaced"
).split()
NEW_NEAR = [f"near_{name}" for name in NEW_AT]
NEW_FAR = [f"far_{name}" for name in NEW_AT]
NEW_FROM = "new_after_quote new_after_deleted new_after_marker new_after_jump new_at_start new_more".split()
DELETED_LINE = (
    "deleted deleted_blank deleted_comment deleted_trivial deleted_header deleted_shown deleted_said deleted_like "
    "deleted_stays deleted_said_adds deleted_said_placed deleted_doc deleted_replaced"
).split()
DELETED = (
    "delete_after_quote delete_after_new delete_after_marker delete_to_quote delete_to_new delete_to_marker "
    "delete_to_end delete_at_start"
).split()
JUMPED_LINE = "jumped jumped_header jumped_shown jumped_doc jumped_like".split()
LEFT = "left_block_end left_before_blank left_boundary left_opener left_inside".split()
LANDED = "landed_boundary landed_behind_blank landed_block_start landed_inside".split()
JUNCTION = (
    "jump jump_from_new jump_to_new junction_blank junction_dedent junction_indent junction_header "
    "junction_shift jump_unmarked junction_closed junction_headed junction_marked junction_in_comment"
).split()
START = [f"start_{name}" for name in "boundary behind_blank block_start inside at_top skips_unmarked first new".split()]
MARKED_LINE = "elided_shown elided_like elided_named".split()
MARKER = (
    "marker marker_odds marker_dots marker_empty marker_from_quote marker_from_new marker_from_deleted marker_again "
    "marker_at_block_end marker_shallower marker_deeper marker_level marker_behind_opener elided_outdents "
    "marker_foreign marker_unlikely marker_listing marker_opens"
).split()
ELIDED_TO = [f"elided_to_{name}" for name in "boundary behind_blank block_start block_end inside end".split()]
NOTE = "note note_odds note_blank note_blank_by_marker note_blank_edge note_gone note_code note_listing".split()
BACK = "back back_header back_marker back_adjacent back_import".split()
END = (
    "end_quote end_new end_deleted end_at_eof end_at_block_end end_at_blank end_inside end_new_boundary "
    "end_skips_unmarked"
).split()
ENDED = "end_at_eof end_at_block_end end_at_blank end_inside end_skips_unmarked end_new_boundary".split()
FEATURES: tuple[str, ...] = tuple(
    name
    for group in (
        PAIR, NEXT, ROW_NEW, NEW_NEAR, NEW_FAR, NEW_FROM, DELETED_LINE, DELETED, JUMPED_LINE, LEFT, LANDED, JUNCTION,
        START, MARKED_LINE, MARKER, ELIDED_TO, NOTE, BACK, END,
    )
    for name in group
)  # fmt: skip
INDEX = {name: number for number, name in enumerate(FEATURES)}

# The columns of the tables, by the names of what they hold.
# fmt: off
(
    BLANK, SAME, SAME_TRIVIAL, SAME_LEN, SAME_DUP, SAME_TRIVIAL_DUP, LOOSE, LOOSE_ABBREVIATED, LIKE, LIKE_BY,
    LIKE_WORDS, LIKE_FIRST, LIKE_FIRST_NOT, IDENTITY_SAME, IDENTITY_OTHER, IDENTITY_KNOWN, IDENTITY_KIND,
    LIKE_COMMENT, LIKE_MIXED, LIKE_SAME_ELSEWHERE, LIKE_LINE_SHOWN, QUOTED_BY_WORDS, PARENT_SAME, PARENT_LIKE,
    PARENT_OTHER, PARENT_NEW, PARENT_NONE, ANCESTORS, NAMED, NAMED_NOT, SHIFT_SAME, SHIFT_OTHER, NOTE_PAIR, DOTS_PAIR,
    SAME_SHOWN_TWICE, SEVERAL, RESPACED, LIKE_PARENT_OTHER, LIKE_PARENT_NEW, NOTE_QUOTES, OWNER_SAME, OWNER_OTHER,
    OWNER_NEW, LIKE_OWNER_OTHER, LIKE_OWNER_NEW, LIKE_THOUGH_LOOSE, TOLD_INSIDE, TOLD_OUTSIDE,
    LOOSE_PREFIX, LIKE_ELIDED, LIKE_ELIDED_CODE, LIKE_OPENS, SAID_ADDS, SAID_CHANGES, SAID_PLACED, SAID_ADDS_OTHER,
    REWRAPPED, LIKE_RIVALS, IDENTITY_OTHER_USED, DROPS_COMMENT, LIKE_UNDERLINE,
    LIKE_KIND_SAME, LOOSE_OPENS, LOOSE_CLOSER, LIKE_CLOSER, LIKE_REPLACED, LIKE_REPLACED_NOT, LOOSE_GAPS, LIKE_ALIKE,
    STUB, STUB_SAID, STUB_MARKED,
) = range(len(PAIR))
(
    NEW, NEW_BLANK, NEW_COMMENT, NEW_DECLARED, NEW_KNOWN, NEW_KNOWN_TRIVIAL, NEW_DOTS, NEW_LIKE, NEW_NOTE,
    NEW_HEADER_LIKE, NEW_SAID_ADDS, NEW_SAID_CHANGES, NEW_NAMED_ALONE, NEW_DRESSED,
) = range(len(ROW_NEW))
(
    FITS_BEFORE, FITS_BEHIND, FITS_OPENER, FITS_NONE, CAPTURES, ENDS_BLOCK, ENDS_FILE, BEGINS_FILE, BLANK_BEHIND,
    BLANK_BEFORE, DECLARED_AT_BOUNDARY, DECLARED_INSIDE, STATEMENT_AT_BOUNDARY, FIRST_SAME_BEFORE, FIRST_SAME_BEHIND,
    INSIDE_PARENT, OUTSIDE_PARENT, INSIDE_NAMED, OUTSIDE_NAMED, IMPORT_FAR, DEEPER_THAN_BEFORE,
    IN_TOLD, OUT_TOLD, AT_TOLD, OFF_TOLD, AT_MEANT, OFF_MEANT, AT_REPLACED,
) = range(len(NEW_AT))
# fmt: on
