CREATE VIRTUAL TABLE text_index USING fts5(
    turn, near1, near2, date,
    content = '', contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE text_terms USING fts5vocab('text_index', 'instance');
