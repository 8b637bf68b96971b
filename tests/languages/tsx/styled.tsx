/** Type arguments of a tag, which the grammar does not read. */
export const Box = styled.div<{ $wide: boolean; größe?: number }>`
  width: ${(props) => (props.$wide ? 2 : 1)};
`;

export const Page = () => <Box $wide>text</Box>;
